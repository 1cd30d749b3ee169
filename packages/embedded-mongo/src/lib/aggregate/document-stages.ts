import { Long } from 'bson'
import { type Doc, getField, isDocument, setField, valueAt, withPath } from '../bson/document.ts'
import { keepMetadata } from '../bson/metadata.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { createSortOrder, sortBy } from '../keys/sort.ts'
import { computeNode } from '../project/apply-projection.ts'
import { compileProjection } from '../project/compile-projection.ts'
import { parseAddFields } from '../project/parse-projection.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type Run, type StageCompiler, type StageContext } from './stage.ts'

export const documentStages: Readonly<Record<string, StageCompiler>> = {
  $match: (operand, { scope }) => {
    if (!isDocument(operand))
      throw new CommandError('Location15959', 'the match filter must be an expression in an object')
    const filter = compileFilter(operand, { scope })
    return where(filter)
  },
  $project: (operand, { scope }) => {
    if (!isDocument(operand))
      throw new CommandError('Location15969', '$project specification must be an object')
    return map(compileProjection(operand, { scope, kind: 'stage' }))
  },
  $addFields: addFields,
  $set: addFields,
  $unset: (operand, { scope }) => {
    const fields: unknown[] = Array.isArray(operand) ? operand : [operand]
    if (fields.length === 0)
      throw new CommandError(
        'Location31119',
        '$unset specification must be a string or an array with at least one field',
      )
    const spec: Doc = {}
    for (const field of fields) {
      if (typeof field !== 'string')
        throw new CommandError(
          'Location31120',
          '$unset specification must be a string or an array containing only string values',
        )
      setField(spec, field, 0)
    }
    return map(compileProjection(spec, { scope, kind: 'stage' }))
  },
  $replaceRoot: (operand, context) => {
    if (!isDocument(operand))
      throw new CommandError(
        'Location40229',
        `expected an object as specification for $replaceRoot stage, got ${typeName(operand)}`,
      )
    const unknown = Object.keys(operand).find((name) => name !== 'newRoot')
    if (unknown !== undefined)
      throw new CommandError(
        'Location40230',
        `unrecognized option to $replaceRoot stage: ${unknown}, only valid option is 'newRoot'.`,
      )
    if (!('newRoot' in operand))
      throw new CommandError('Location40231', 'no newRoot specified for the $replaceRoot stage')
    return replaceRoot(operand['newRoot'], context)
  },
  $replaceWith: replaceRoot,
  $sort: (operand, { scope, limit }) => {
    if (!isDocument(operand))
      throw new CommandError('Location15973', 'the $sort key specification must be an object')
    if (Object.keys(operand).length === 0)
      throw new CommandError('Location15976', '$sort stage must have at least one sort key')
    const order = createSortOrder(operand, scope.collation)
    return (input) => lazily(() => sortBy(input, order, { doc: (doc) => doc, limit }))
  },
  $limit: (operand) => {
    const limit = requireCount('$limit', operand, 1)
    return (input) => take(input, limit)
  },
  $skip: (operand) => {
    const skip = requireCount('$skip', operand, 0)
    return function* skipSome(input) {
      let seen = 0
      for (const doc of input) if (++seen > skip) yield doc
    }
  },
  $count: (operand) => {
    if (typeof operand !== 'string' || operand === '')
      throw new CommandError('Location40156', 'the count field must be a non-empty string')
    if (operand.startsWith('$'))
      throw new CommandError('Location40158', 'the count field cannot be a $-prefixed path')
    if (operand.includes('.'))
      throw new CommandError('Location40160', "the count field cannot contain '.'")
    return function* countAll(input) {
      let count = 0
      for (const doc of input) count += Number(doc !== undefined)
      if (count > 0) yield { [operand]: count }
    }
  },
  $sample: (operand) => {
    const size = isDocument(operand) ? operand['size'] : undefined
    if (!isNumeric(size))
      throw new CommandError('Location28746', 'size argument to $sample must be a number')
    if (toNumber(size) <= 0)
      throw new CommandError('Location28747', 'size argument to $sample must be a positive integer')
    return (input) => lazily(() => sample([...input], toNumber(size)))
  },
  $documents: (operand, { scope }) => {
    const expression = compileExpression(operand, scope)
    return () =>
      lazily(() => {
        const docs = expression({})
        if (Array.isArray(docs) && docs.every(isDocument)) return docs
        throw new CommandError('Location5858203', 'an array of documents is expected in $documents')
      })
  },
  $redact: (operand, { scope }) => {
    const cells = ['DESCEND', 'PRUNE', 'KEEP'].map((name): [string, { value: string }] => [
      name,
      { value: name },
    ])
    const expression = compileExpression(operand, {
      ...scope,
      variables: new Map([...scope.variables, ...cells]),
    })
    return function* redactAll(input) {
      for (const doc of input) {
        const kept = redact(doc, expression)
        if (kept !== undefined) yield kept
      }
    }
  },
}

// Calls the function when the first result is requested.
export function* lazily(make: () => Iterable<Doc>): Iterable<Doc> {
  yield* make()
}

function map(change: (doc: Doc) => Doc): Run {
  return function* mapAll(input) {
    for (const doc of input) yield keepMetadata(doc, change(doc))
  }
}

function where(filter: (doc: Doc) => boolean): Run {
  return function* filterAll(input) {
    for (const doc of input) if (filter(doc)) yield doc
  }
}

function* take(input: Iterable<Doc>, limit: number): Iterable<Doc> {
  let seen = 0
  for (const doc of input) {
    yield doc
    if (++seen >= limit) return
  }
}

function addFields(operand: unknown, { scope, name }: StageContext): Run {
  if (!isDocument(operand)) {
    throw new CommandError(
      'Location40272',
      `${name} specification stage must be an object, got ${typeName(operand)}`,
    )
  }
  const node = parseAddFields(operand, scope)
  return map((doc) => computeNode(doc, node, doc))
}

function replaceRoot(operand: unknown, { scope, name }: StageContext): Run {
  const expression = compileExpression(operand, scope)
  return map((doc) => {
    const root = expression(doc)
    if (isDocument(root)) return root
    throw new CommandError(
      'Location40228',
      `${name === '$replaceRoot' ? "'newRoot' expression" : "'replacement document'"} must evaluate to an object, but ` +
        `resulting value was: ${root === undefined ? 'MISSING' : showValue(root)}. Type of resulting value: '${typeName(root)}'.`,
    )
  })
}

function requireCount(name: string, operand: unknown, least: number): number {
  const count = isNumeric(operand) ? toNumber(operand) : NaN
  if (!Number.isInteger(count)) {
    throw new CommandError(
      name === '$limit' ? 'Location2107201' : 'Location5107200',
      `invalid argument to ${name} stage: Expected an integer: ${name}: ${showValue(operand)}`,
    )
  }
  if (count < 0)
    throw new CommandError(
      'Location5107200',
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${count}`,
    )
  if (count < least) throw new CommandError('Location15958', 'the limit must be positive')
  return count
}

function sample(docs: Doc[], size: number): Doc[] {
  for (let i = 0; i < Math.min(size, docs.length); i++) {
    const j = i + Math.floor(Math.random() * (docs.length - i))
    const [a, b] = [docs[i], docs[j]]
    if (a !== undefined && b !== undefined) [docs[i], docs[j]] = [b, a]
  }
  return docs.slice(0, size)
}

function redact(doc: Doc, expression: (root: Doc) => unknown): Doc | undefined {
  const decision = expression(doc)
  if (decision === 'KEEP') return doc
  if (decision === 'PRUNE') return undefined
  if (decision !== 'DESCEND') {
    throw new CommandError(
      'Location17053',
      '$redact must return one of $$KEEP, $$PRUNE or $$DESCEND',
    )
  }
  const result: Doc = {}
  for (const name of Object.keys(doc)) {
    const value = redactValue(getField(doc, name), expression)
    if (value !== undefined) setField(result, name, value)
  }
  return result
}

function redactValue(value: unknown, expression: (root: Doc) => unknown): unknown {
  if (isDocument(value)) return redact(value, expression)
  if (!Array.isArray(value)) return value
  return value.map((item) => redactValue(item, expression)).filter((item) => item !== undefined)
}

export function unwind(operand: unknown): Run {
  const { parts, index, preserve } = parse(operand)
  return function* unwindAll(input) {
    for (const doc of input) {
      const value = valueAt(doc, parts)
      const isEmpty =
        value === undefined || value === null || (Array.isArray(value) && value.length === 0)
      if (isEmpty && !preserve) continue
      if (!Array.isArray(value)) yield withIndex(doc, index, null)
      else if (value.length === 0) yield withIndex(withPath(doc, parts, undefined), index, null)
      else {
        for (const [i, item] of value.entries()) {
          yield withIndex(withPath(doc, parts, item), index, Long.fromNumber(i))
        }
      }
    }
  }
}

interface Unwind {
  parts: string[]
  index: string[] | undefined
  preserve: boolean
}

function parse(operand: unknown): Unwind {
  const spec: Doc = isDocument(operand) ? operand : { path: operand }
  if (!isDocument(operand) && typeof operand !== 'string') {
    throw new CommandError(
      'Location15981',
      `expected either a string or an object as specification for $unwind stage, got ${typeName(operand)}`,
    )
  }
  const unknown = Object.keys(spec).find(
    (name) => !['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name),
  )
  if (unknown !== undefined)
    throw new CommandError('Location28811', `unrecognized option to $unwind stage: ${unknown}`)
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false } = spec
  if (path === undefined)
    throw new CommandError('Location28812', 'no path specified to $unwind stage')
  if (typeof path !== 'string')
    throw new CommandError(
      'Location28808',
      `expected a string as the path for $unwind stage, got ${typeName(path)}`,
    )
  if (!path.startsWith('$'))
    throw new CommandError(
      'Location28818',
      `path option to $unwind stage should be prefixed with a '$': ${path}`,
    )
  if (typeof preserve !== 'boolean')
    throw new CommandError(
      'Location28809',
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(preserve)}`,
    )
  return { parts: path.slice(1).split('.'), index: parseIndex(index), preserve }
}

function parseIndex(index: unknown): string[] | undefined {
  if (index === undefined) return undefined
  if (typeof index !== 'string' || index === '')
    throw new CommandError(
      'Location28810',
      `expected a non-empty string for the includeArrayIndex option to $unwind stage, got ${typeName(index)}`,
    )
  if (index.startsWith('$'))
    throw new CommandError(
      'Location28822',
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`,
    )
  return index.split('.')
}

function withIndex(doc: Doc, index: readonly string[] | undefined, value: Long | null): Doc {
  return index === undefined ? doc : withPath(doc, index, value)
}
