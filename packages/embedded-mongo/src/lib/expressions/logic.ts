import {
  isNullish,
  isTrue,
  listOperator,
  type Operator,
  type OperatorContext,
  requireNames,
} from './operator.ts'
import { type Cell, createCell, type Expression, extendScope } from './scope.ts'
import { isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { compare } from '../keys/compare.ts'

const comparisons: Readonly<Record<string, (result: number) => unknown>> = {
  $eq: (result) => result === 0,
  $ne: (result) => result !== 0,
  $gt: (result) => result > 0,
  $gte: (result) => result >= 0,
  $lt: (result) => result < 0,
  $lte: (result) => result <= 0,
  $cmp: (result) => Math.sign(result),
}

export const logic: Readonly<Record<string, Operator>> = {
  ...Object.fromEntries(
    Object.entries(comparisons).map(([name, decide]) => [
      name,
      listOperator([2, 2], ([a, b], { scope }) => decide(compare(a, b, scope.collation))),
    ]),
  ),
  $and: (operand, context) => {
    const operands = compileAll(operand, context)
    return (root) => operands.every((expression) => isTrue(expression(root)))
  },
  $or: (operand, context) => {
    const operands = compileAll(operand, context)
    return (root) => operands.some((expression) => isTrue(expression(root)))
  },
  $not: listOperator([1, 1], ([value]) => !isTrue(value)),
  $literal: (operand) => () => operand,
  $const: (operand) => () => operand,
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOf,
  $let: letIn,
  $rand: () => () => Math.random(),
  $expr: (operand, { compile, scope }) => compile(operand, scope),
}

function compileAll(operand: unknown, { compile, scope }: OperatorContext): Expression[] {
  return (Array.isArray(operand) ? operand : [operand]).map((item) => compile(item, scope))
}

function cond(operand: unknown, context: OperatorContext): Expression {
  const [test, yes, no] = compileAll(toCondList(operand), context)
  if (test === undefined || yes === undefined || no === undefined)
    throw new CommandError('Location16020', 'Expression $cond takes exactly 3 arguments.')
  return (root) => (isTrue(test(root)) ? yes(root) : no(root))
}

const condParameters = [
  ['if', 'Location17080'],
  ['then', 'Location17081'],
  ['else', 'Location17082'],
] as const

function toCondList(operand: unknown): unknown[] {
  if (Array.isArray(operand)) {
    if (operand.length === 3) return operand
    throw new CommandError(
      'Location16020',
      `Expression $cond takes exactly 3 arguments. ${operand.length} were passed in.`,
    )
  }
  const spec = isDocument(operand) ? operand : {}
  const unknown = Object.keys(spec).find(
    (name) => !condParameters.some(([known]) => known === name),
  )
  if (unknown !== undefined)
    throw new CommandError('Location17083', `Unrecognized parameter to $cond: ${unknown}`)
  for (const [name, error] of condParameters) {
    if (!Object.hasOwn(spec, name))
      throw new CommandError(error, `Missing '${name}' parameter to $cond`)
  }
  return [spec['if'], spec['then'], spec['else']]
}

function ifNull(operand: unknown, context: OperatorContext): Expression {
  const operands = compileAll(operand, context)
  if (operands.length < 2) {
    throw new CommandError(
      'Location1257300',
      `$ifNull needs at least two arguments, had: ${operands.length}`,
    )
  }
  return (root) => {
    let value: unknown
    for (const expression of operands) {
      value = expression(root)
      if (!isNullish(value)) return value
    }
    return value
  }
}

function switchOf(operand: unknown, { compile, scope }: OperatorContext): Expression {
  const { branches, default: fallback } = requireNames(operand, ['branches', 'default?'], '$switch')
  if (!Array.isArray(branches))
    throw new CommandError('Location40061', "$switch expected an array for 'branches'")
  if (branches.length === 0)
    throw new CommandError('Location40068', '$switch requires at least one branch.')
  const compiled = branches.map((branch: unknown) => {
    const { case: test, then } = requireNames(branch, ['case', 'then'], '$switch')
    return { test: compile(test, scope), result: compile(then, scope) }
  })
  const otherwise = fallback === undefined ? undefined : compile(fallback, scope)
  return (root) => {
    const branch = compiled.find(({ test }) => isTrue(test(root)))
    if (branch !== undefined) return branch.result(root)
    if (otherwise !== undefined) return otherwise(root)
    throw new CommandError(
      'Location40066',
      '$switch could not find a matching branch for an input, and no default was specified.',
    )
  }
}

function letIn(operand: unknown, { compile, scope }: OperatorContext): Expression {
  const { vars, in: body } = requireNames(operand, ['vars', 'in'], '$let')
  if (!isDocument(vars))
    throw new CommandError('Location10065', 'invalid parameter: expected an object (vars)')
  const bindings = Object.keys(vars).map((name) => ({
    name: requireVariableName(name),
    cell: createCell(),
    expression: compile(vars[name], scope),
  }))
  const inner = extendScope(
    scope,
    bindings.map(({ name, cell }): [string, Cell] => [name, cell]),
  )
  const result = compile(body, inner)
  return (root) => {
    const values = bindings.map(({ expression }) => expression(root))
    for (const [i, { cell }] of bindings.entries()) cell.value = values[i]
    return result(root)
  }
}

export function requireVariableName(name: unknown): string {
  if (typeof name !== 'string')
    throw new CommandError('FailedToParse', 'empty variable names are not allowed')
  if (/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name) || name === 'CURRENT') return name
  throw new CommandError(
    'FailedToParse',
    `'${name}' starts with an invalid character for a user variable name`,
  )
}
