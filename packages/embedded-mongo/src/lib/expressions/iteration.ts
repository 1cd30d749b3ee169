import { requireVariableName } from './logic.ts'
import { isNullish, isTrue, type Operator, type OperatorContext, requireNames } from './operator.ts'
import { createCell, type Expression, extendScope, type Scope } from './scope.ts'
import { type Doc } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError } from '../errors/command-error.ts'
import { createElementSort } from '../keys/sort.ts'
import { requireArray } from './arrays.ts'

interface Iteration {
  // Undefined when the input is null.
  run(root: Doc): unknown[] | undefined
  body(item: unknown, root: Doc): unknown
  spec: Doc
  inner: Scope
}

function compileIteration(
  operand: unknown,
  names: readonly string[],
  context: OperatorContext,
): Iteration {
  const { name, scope, compile } = context
  const spec = requireNames(operand, names, name)
  const as = spec['as'] === undefined ? 'this' : requireVariableName(spec['as'])
  const cell = createCell()
  const inner = extendScope(scope, [[as, cell]])
  const input = compile(spec['input'], scope)
  const body = compile(spec[names.at(-1)?.startsWith('in') ? 'in' : 'cond'], inner)
  return {
    spec,
    inner,
    run: (root) => {
      const value = input(root)
      if (isNullish(value)) return undefined
      return requireArray(
        value,
        name === '$map' ? 'Location16883' : 'Location28651',
        `input to ${name} must be an array not `,
      )
    },
    body: (item, root) => {
      cell.value = item
      return body(root)
    },
  }
}

function filter(operand: unknown, context: OperatorContext): Expression {
  const each = compileIteration(operand, ['input', 'as?', 'limit?', 'cond'], context)
  const limit =
    each.spec['limit'] === undefined
      ? () => null
      : context.compile(each.spec['limit'], context.scope)
  return (root) => {
    const items = each.run(root)
    if (items === undefined) return null
    const most = limit(root)
    if (most !== null && (!isNumeric(most) || toNumber(most) < 1)) {
      throw new CommandError('Location327392', "$filter: 'limit' must be greater than 0")
    }
    const kept = items.filter((item) => isTrue(each.body(item, root)))
    return isNumeric(most) ? kept.slice(0, toNumber(most)) : kept
  }
}

function reduce(operand: unknown, { scope, compile }: OperatorContext): Expression {
  const spec = requireNames(operand, ['input', 'initialValue', 'in'], '$reduce')
  const item = createCell()
  const total = createCell()
  const input = compile(spec['input'], scope)
  const start = compile(spec['initialValue'], scope)
  const body = compile(
    spec['in'],
    extendScope(scope, [
      ['this', item],
      ['value', total],
    ]),
  )
  return (root) => {
    const items = input(root)
    if (isNullish(items)) return null
    let value = start(root)
    for (const element of requireArray(
      items,
      'Location40080',
      "$reduce requires that 'input' be an array, found: ",
    )) {
      item.value = element
      total.value = value
      value = body(root)
    }
    return value
  }
}

const sortArray: Operator = (operand, { compile, scope }) => {
  const spec = requireNames(operand, ['input', 'sortBy'], '$sortArray')
  const input = compile(spec['input'], scope)
  const sort = createElementSort(spec['sortBy'], scope.collation)
  if (!sort)
    throw new CommandError('Location2942503', '$sortArray: sortBy must be 1, -1 or an object')
  return (root) => {
    const items = input(root)
    if (isNullish(items)) return null
    return sort(
      requireArray(
        items,
        'Location2942504',
        'The input argument to $sortArray must be an array, but was of type: ',
      ),
    )
  }
}

export const iteration: Readonly<Record<string, Operator>> = {
  $map: (operand, context) => {
    const each = compileIteration(operand, ['input', 'as?', 'in'], context)
    return (root) => each.run(root)?.map((item) => each.body(item, root) ?? null) ?? null
  },
  $filter: filter,
  $reduce: reduce,
  $sortArray: sortArray,
}
