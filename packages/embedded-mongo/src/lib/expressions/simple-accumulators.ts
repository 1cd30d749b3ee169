import { asDouble } from '../bson/arithmetic.ts'
import { type Doc, isDocument, setField } from '../bson/document.ts'
import { NumericSum } from '../bson/numeric-sum.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { compare } from '../keys/compare.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { isNullish, type Operator } from './operator.ts'
import { type Scope } from './scope.ts'

export interface Accumulator {
  add(value: unknown): void
  result(): unknown
}

export const simpleAccumulators: Readonly<Record<string, (scope: Scope) => Accumulator>> = {
  $sum: createSum,
  $count: createSum,
  $avg: () => {
    const sum = new NumericSum()
    return { add: (value) => addNumber(sum, value), result: () => sum.mean() }
  },
  $min: ({ collation }) => createFold((best, value) => compare(value, best, collation) < 0),
  $max: ({ collation }) => createFold((best, value) => compare(value, best, collation) > 0),
  $first: () => {
    let first: { value: unknown } | undefined
    return { add: (value) => void (first ??= { value }), result: () => first?.value ?? null }
  },
  $last: () => {
    let last: unknown
    return { add: (value) => void (last = value), result: () => last ?? null }
  },
  $push: () => {
    const values: unknown[] = []
    return {
      add: (value) => {
        if (value !== undefined) values.push(value)
      },
      result: () => values,
    }
  },
  $addToSet: ({ collation }) => {
    const values = new Map<string, unknown>()
    return {
      add: (value) => {
        if (value === undefined) return
        const key = encodeKey(value, false, collation)
        if (!values.has(key)) values.set(key, value)
      },
      result: () => [...values.values()],
    }
  },
  $mergeObjects: () => {
    const merged: Doc = {}
    return { add: (value) => mergeInto(merged, value), result: () => merged }
  },
  $stdDevPop: () => createDeviation(0),
  $stdDevSamp: () => createDeviation(1),
}

function createSum(): Accumulator {
  const sum = new NumericSum()
  return { add: (value) => addNumber(sum, value), result: () => sum.total() }
}

function addNumber(sum: NumericSum, value: unknown): void {
  if (isNumeric(value)) sum.add(value)
}

// Null and missing are ignored.
function createFold(isBetter: (best: unknown, value: unknown) => boolean): Accumulator {
  let best: unknown = null
  return {
    add: (value) => {
      if (!isNullish(value) && (best === null || isBetter(best, value))) best = value
    },
    result: () => best,
  }
}

// As $mergeObjects does: null is ignored.
export function mergeInto(target: Doc, value: unknown): void {
  if (isNullish(value)) return
  if (!isDocument(value)) {
    throw new CommandError(
      'Location40400',
      `$mergeObjects requires object inputs, but input ${showValue(value)} is of type ${typeName(value)}`,
    )
  }
  for (const name of Object.keys(value)) setField(target, name, value[name])
}

// Welford's method.
function createDeviation(fewer: number): Accumulator {
  let count = 0
  let mean = 0
  let squares = 0
  return {
    add: (value) => {
      if (!isNumeric(value)) return
      const number = toNumber(value)
      count++
      const distance = number - mean
      mean += distance / count
      squares += distance * (number - mean)
    },
    result: () => (count <= fewer ? null : asDouble(Math.sqrt(squares / (count - fewer)))),
  }
}

// As an expression, an accumulator works over the elements of one array or over its operands.
export function foldOperator(create: (scope: Scope) => Accumulator): Operator {
  return (operand, { compile, scope }) => {
    const expressions = (Array.isArray(operand) ? operand : [operand]).map((item) =>
      compile(item, scope),
    )
    return (root) => {
      const values = expressions.map((expression) => expression(root))
      const inputs: unknown[] = values.length === 1 && Array.isArray(values[0]) ? values[0] : values
      const accumulator = create(scope)
      for (const value of inputs) if (!isNullish(value)) accumulator.add(value)
      return accumulator.result()
    }
  }
}
