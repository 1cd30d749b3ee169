import { operators } from './operators.ts'
import {
  type Cell,
  createScope,
  type Expression,
  extendScope,
  type Scope,
  type ScopeOptions,
} from './scope.ts'
import { type Doc, getField, isDocument, setField } from '../bson/document.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { parseFieldPath } from '../keys/field-path.ts'

export function compileExpression(value: unknown, scope: Scope): Expression {
  if (typeof value === 'string') {
    return value.startsWith('$') ? compilePath(value, scope) : () => value
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => compileExpression(item, scope))
    return (root) => items.map((item) => item(root) ?? null)
  }
  if (!isDocument(value)) return () => value
  const [name = ''] = Object.keys(value)
  return name.startsWith('$') ? compileOperator(name, value, scope) : compileObject(value, scope)
}

export function createCommandScope(options: ScopeOptions): Scope {
  const outer = createScope({ ...options, variables: undefined })
  const cells = Object.entries(options.variables ?? {}).map(([name, value]): [string, Cell] => [
    name,
    { value: compileExpression(value, outer)({}) },
  ])
  return extendScope(outer, cells)
}

function compilePath(text: string, scope: Scope): Expression {
  if (text.startsWith('$$')) return compileVariable(text.slice(2), scope)
  const parts = toParts(text.slice(1))
  const [field = '', ...rest] = parts
  if (rest.length === 0) return (root) => getField(root, field)
  return (root) => follow(root, parts, 0)
}

function compileVariable(text: string, scope: Scope): Expression {
  const [name = '', ...parts] = toParts(text)
  if (name === 'ROOT' || name === 'CURRENT') {
    return parts.length === 0 ? (root) => root : (root) => follow(root, parts, 0)
  }
  if (name === 'USER_ROLES' || name === 'SEARCH_META') throw notImplemented(`$$${name}`)
  const cell = scope.variables.get(name)
  if (cell === undefined) {
    throw new CommandError('Location17276', `Use of undefined variable: ${name}`)
  }
  if (parts.length === 0) return () => cell.value
  return () =>
    Array.isArray(cell.value) ? inEach(cell.value, parts, 0) : follow(cell.value, parts, 0)
}

function toParts(path: string): string[] {
  if (path === '') throw new CommandError('Location16872', "'$' by itself is not a valid FieldPath")
  return parseFieldPath(path)
}

// A path through an array collects the values of its documents; numbers are names, not positions.
function follow(node: unknown, parts: readonly string[], at: number): unknown {
  if (!isDocument(node)) return undefined
  const value = getField(node, parts[at] ?? '')
  if (at === parts.length - 1) return value
  return Array.isArray(value) ? inEach(value, parts, at + 1) : follow(value, parts, at + 1)
}

function inEach(array: readonly unknown[], parts: readonly string[], at: number): unknown[] {
  return array.map((item) => follow(item, parts, at)).filter((value) => value !== undefined)
}

function compileObject(object: Doc, scope: Scope): Expression {
  const fields = Object.keys(object).map((name) => {
    if (name.includes('.')) {
      throw new CommandError(
        'Location16412',
        "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
      )
    }
    if (name.startsWith('$')) throw tooManyFields(object)
    return { name, expression: compileExpression(object[name], scope) }
  })
  return (root) => {
    const result: Doc = {}
    for (const { name, expression } of fields) {
      const value = expression(root)
      if (value !== undefined) setField(result, name, value)
    }
    return result
  }
}

function tooManyFields(object: Doc): CommandError {
  return new CommandError(
    'Location15983',
    `An object representing an expression must have exactly one field: ${JSON.stringify(object)}`,
  )
}

const unsupported = new Set([
  '$function',
  '$accumulator',
  '$toHashedIndexKey',
  '$encStrStartsWith',
  '$median',
  '$percentile',
  '$tsSecond',
  '$tsIncrement',
  '$toUUID',
])

function compileOperator(name: string, object: Doc, scope: Scope): Expression {
  if (Object.keys(object).length > 1) throw tooManyFields(object)
  const operator = operators.get(name)
  if (operator !== undefined) {
    return operator(object[name], { name, scope, compile: compileExpression })
  }
  if (unsupported.has(name)) throw notImplemented(name)
  throw new CommandError('InvalidPipelineOperator', `Unrecognized expression '${name}'`)
}
