import { type Expression, type Scope } from './scope.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'

export interface OperatorContext {
  name: string
  scope: Scope
  compile: (value: unknown, scope: Scope) => Expression
}

// The operand is as the client wrote it.
export type Operator = (operand: unknown, context: OperatorContext) => Expression

type Compute = (args: unknown[], context: OperatorContext) => unknown

export function listOperator(counts: readonly [number, number], compute: Compute): Operator {
  return (operand, context) => {
    const operands: unknown[] = Array.isArray(operand) ? operand : [operand]
    requireCount(operands.length, counts, context.name)
    const expressions = operands.map((item) => context.compile(item, context.scope))
    const [first, second] = expressions
    if (first !== undefined && second === undefined) {
      return (root) => compute([first(root)], context)
    }
    return (root) =>
      compute(
        expressions.map((expression) => expression(root)),
        context,
      )
  }
}

function requireCount(count: number, [least, most]: readonly [number, number], name: string): void {
  if (count >= least && count <= most) return
  if (least === most) {
    throw new CommandError(
      'Location16020',
      `Expression ${name} takes exactly ${least} arguments. ${count} were passed in.`,
    )
  }
  throw new CommandError(
    'Location28667',
    `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${count} were passed in.`,
  )
}

export type Named = Readonly<Record<string, unknown>>

export function namedOperator(
  names: readonly string[],
  compute: (args: Named, context: OperatorContext) => unknown,
): Operator {
  return (operand, context) => {
    const object = requireNames(operand, names, context.name)
    const expressions = Object.keys(object).map(
      (name) => [name, context.compile(object[name], context.scope)] as const,
    )
    return (root) => {
      const args: Doc = {}
      for (const [name, expression] of expressions) args[name] = expression(root)
      return compute(args, context)
    }
  }
}

// A name with `?` at its end is optional.
export function requireNames(operand: unknown, names: readonly string[], operator: string): Doc {
  if (!isDocument(operand)) {
    throw new CommandError('FailedToParse', `${operator} only supports an object as its argument`)
  }
  const known = new Set(names.map((name) => name.replace('?', '')))
  const unknown = Object.keys(operand).find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw new CommandError('FailedToParse', `${operator} found an unknown argument: ${unknown}`)
  }
  const missing = names.find((name) => !name.endsWith('?') && !Object.hasOwn(operand, name))
  if (missing !== undefined) {
    throw new CommandError('FailedToParse', `${operator} requires '${missing}' to be specified`)
  }
  return operand
}

export function isNullish(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

// True in MongoDB's sense: everything but false, zero, null and missing.
export function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (isNullish(value)) return false
  return !isNumeric(value) || toNumber(value) !== 0
}
