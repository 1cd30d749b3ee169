import { asDouble } from '../../bson/arithmetic.ts'
import { type Doc, isDocument, setField } from '../../bson/document.ts'
import { NumericSum } from '../../bson/numeric-sum.ts'
import { isNumeric, toNumber } from '../../bson/numeric.ts'
import { typeName } from '../../bson/type-name.ts'
import { CommandError, notImplemented } from '../../errors/command-error.ts'
import { compare } from '../../keys/compare.ts'
import { encodeKey } from '../../keys/encode-key.ts'
import { createSortOrder, sortBy } from '../../keys/sort.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { isNullish, requireNames } from '../expressions/operator.ts'
import { type Expression, type Scope } from '../expressions/scope.ts'

/** Gathers the values of one group. */
export interface Accumulator {
  add(value: unknown): void
  result(): unknown
}

/** An accumulator of a stage: what to read of each document, and how to gather it. */
export interface CompiledAccumulator {
  expression: Expression
  create(): Accumulator
}

/**
 * Compiles the accumulator of a field, such as `{ $sum: "$amount" }`.
 * @param field - The output field, for messages.
 * @param spec - The accumulator object.
 * @param scope - The scope of its expression.
 * @returns The accumulator.
 * @throws {CommandError} 40234, 40238, 15952 for a bad one.
 */
export function compileAccumulator(
  field: string,
  spec: unknown,
  scope: Scope,
): CompiledAccumulator {
  if (!isDocument(spec)) {
    throw new CommandError(40234, `The field '${field}' must be an accumulator object`)
  }
  const [name = '', second] = Object.keys(spec)
  if (second !== undefined) {
    throw new CommandError(40238, `The field '${field}' must specify one accumulator`)
  }
  if (name === '$accumulator' || name === '$function') throw notImplemented(name)
  const ordered = orderedAccumulators[name]
  if (ordered !== undefined) return ordered(spec[name], { name, scope })
  const create = simpleAccumulators[name]
  if (create === undefined) throw new CommandError(15952, `unknown group operator '${name}'`)
  const operand = name === '$count' ? 1 : spec[name]
  return { expression: compileExpression(operand, scope), create: () => create(scope) }
}

const simpleAccumulators: Readonly<Record<string, (scope: Scope) => Accumulator>> = {
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
    return { add: (value) => merge(merged, value), result: () => merged }
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

// Null and missing count for nothing.
function createFold(isBetter: (best: unknown, value: unknown) => boolean): Accumulator {
  let best: unknown = null
  return {
    add: (value) => {
      if (!isNullish(value) && (best === null || isBetter(best, value))) best = value
    },
    result: () => best,
  }
}

function merge(target: Doc, value: unknown): void {
  if (isNullish(value)) return
  if (!isDocument(value)) {
    throw new CommandError(
      40400,
      `$mergeObjects requires object inputs, but input ${JSON.stringify(value)} is of type ${typeName(value)}`,
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

interface OrderedContext {
  name: string
  scope: Scope
}

type OrderedCompiler = (operand: unknown, context: OrderedContext) => CompiledAccumulator

const orderedAccumulators: Readonly<Record<string, OrderedCompiler>> = {
  $firstN: firstOrLastN,
  $lastN: firstOrLastN,
  $minN: extremeN,
  $maxN: extremeN,
  $top: topOrBottom,
  $bottom: topOrBottom,
  $topN: topOrBottom,
  $bottomN: topOrBottom,
}

function firstOrLastN(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const { input, n } = requireNames(operand, ['input', 'n'], name)
  const count = constantCount(n, scope, name)
  return {
    expression: compileExpression(input, scope),
    create: () => {
      const values: unknown[] = []
      return {
        add: (value) => values.push(value ?? null),
        result: () => (name === '$firstN' ? values.slice(0, count) : values.slice(-count)),
      }
    },
  }
}

function extremeN(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const { input, n } = requireNames(operand, ['input', 'n'], name)
  const count = constantCount(n, scope, name)
  const sign = name === '$minN' ? 1 : -1
  return {
    expression: compileExpression(input, scope),
    create: () => {
      const values: unknown[] = []
      return {
        add: (value) => {
          if (!isNullish(value)) values.push(value)
        },
        result: () =>
          values.toSorted((a, b) => compare(a, b, scope.collation) * sign).slice(0, count),
      }
    },
  }
}

function topOrBottom(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const isMany = name.endsWith('N')
  const names = isMany ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']
  const { sortBy: pattern, output, n } = requireNames(operand, names, name)
  if (!isDocument(pattern))
    throw new CommandError(10065, `${name} expects 'sortBy' to be an object`)
  const order = createSortOrder(pattern, scope.collation)
  const read = compileExpression(output, scope)
  const count = isMany ? constantCount(n, scope, name) : 1
  return {
    expression: (root) => root,
    create: () => {
      const docs: Doc[] = []
      return {
        add: (doc) => {
          if (isDocument(doc)) docs.push(doc)
        },
        result: () => {
          const sorted = sortBy(docs, order, { doc: (doc) => doc })
          const part = name.startsWith('$top') ? sorted.slice(0, count) : sorted.slice(-count)
          const values = part.map((doc) => read(doc) ?? null)
          return isMany ? values : (values[0] ?? null)
        },
      }
    },
  }
}

function constantCount(n: unknown, scope: Scope, name: string): number {
  const value = compileExpression(n, scope)({})
  const count = isNumeric(value) ? toNumber(value) : NaN
  if (Number.isInteger(count) && count > 0) return count
  throw new CommandError(
    5787908,
    `'n' of ${name} must be a positive integer, found ${typeName(value)}`,
  )
}
