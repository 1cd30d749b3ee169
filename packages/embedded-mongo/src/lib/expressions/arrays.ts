import { type Doc, getField, isDocument, setField } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, type ErrorName } from '../errors/command-error.ts'
import { isEqual } from '../keys/compare.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { isNullish, isTrue, listOperator, namedOperator, type Operator } from './operator.ts'
import { pickN, requireN } from './first-n.ts'
import { type Scope } from './scope.ts'

export function requireArray(value: unknown, error: ErrorName, message: string): unknown[] {
  if (Array.isArray(value)) return value
  throw new CommandError(error, message + typeName(value))
}

function requireIndex(name: string, value: unknown): number {
  const index = isNumeric(value) ? toNumber(value) : NaN
  if (Number.isInteger(index) && index >= 0) return index
  throw new CommandError(
    'Location40097',
    `${name} requires a nonnegative starting index, found: ${String(value)}`,
  )
}

function edge(name: string, place: number): Operator {
  return listOperator([1, 1], ([value]) =>
    isNullish(value)
      ? null
      : requireArray(value, 'Location28689', `${name}'s argument must be an array, but is `).at(
          place,
        ),
  )
}

function slice(array: unknown, numbers: readonly unknown[]): unknown {
  if (isNullish(array) || numbers.some(isNullish)) return null
  const items = requireArray(
    array,
    'Location28724',
    'First argument to $slice must be an array, but is of type: ',
  )
  const [first = 0, count] = numbers.map((value) => {
    if (isNumeric(value)) return Math.trunc(toNumber(value))
    throw new CommandError(
      'Location28725',
      `Second argument to $slice must be a numeric value, but is of type: ${typeName(value)}`,
    )
  })
  if (count === undefined) return first < 0 ? items.slice(first) : items.slice(0, first)
  if (count <= 0)
    throw new CommandError('Location28729', `Third argument to $slice must be positive: ${count}`)
  const from = first < 0 ? Math.max(0, items.length + first) : first
  return items.slice(from, from + count)
}

const bytesOfNumber = 16
const maxArrayBytes = 100 * 1024 * 1024

function range(values: readonly unknown[]): number[] {
  const [start = 0, end = 0, step = 1] = values.map((value) => {
    const number = isNumeric(value) ? toNumber(value) : NaN
    if (Number.isInteger(number)) return number
    throw new CommandError(
      'Location34443',
      `$range requires numeric values representable as 32-bit integers, found value of type: ${typeName(value)}`,
    )
  })
  if (step === 0) throw new CommandError('Location34449', '$range requires a non-zero step value')
  const bytes = Math.max(0, Math.ceil((end - start) / step)) * bytesOfNumber
  if (bytes > maxArrayBytes) {
    throw new CommandError(
      'ExceededMemoryLimit',
      `$range would use too much memory (${bytes} bytes) and cannot spill to disk. Memory limit: ${maxArrayBytes} bytes`,
    )
  }
  const result: number[] = []
  for (let i = start; step > 0 ? i < end : i > end; i += step) result.push(i)
  return result
}

const takeN: Operator = namedOperator(['input', 'n'], ({ input, n }, { name, scope }) => {
  const count = requireN(name, n)
  const items = requireArray(input, 'Location5788200', `${name} requires an array as input, found `)
  return pickN(name, items, { count, collation: scope.collation })
})

function toObject(value: unknown): unknown {
  if (isNullish(value)) return null
  const result: Doc = {}
  for (const item of requireArray(
    value,
    'Location40386',
    '$arrayToObject requires an array input, found: ',
  )) {
    const [k, v, extra]: unknown[] = Array.isArray(item)
      ? item
      : isDocument(item)
        ? [getField(item, 'k'), getField(item, 'v')]
        : []
    if (typeof k !== 'string' || extra !== undefined) {
      throw new CommandError(
        'Location40394',
        '$arrayToObject requires an array of key-value pairs, where the key must be of type string.',
      )
    }
    setField(result, k, v ?? null)
  }
  return result
}

const zip: Operator = namedOperator(
  ['inputs', 'useLongestLength?', 'defaults?'],
  ({ inputs, useLongestLength, defaults }) => {
    const lists = requireArray(
      inputs,
      'Location34461',
      'inputs must be an array of expressions, found ',
    )
    if (lists.some(isNullish)) return null
    const columns = lists.map((list) =>
      requireArray(list, 'Location34468', '$zip found a non-array expression in input: '),
    )
    const lengths = columns.map((column) => column.length)
    const length = useLongestLength === true ? Math.max(...lengths) : Math.min(...lengths)
    const fallback: unknown[] = Array.isArray(defaults) ? defaults : []
    return Array.from({ length }, (_, row) =>
      columns.map((column, i) => (row < column.length ? column[row] : (fallback[i] ?? null))),
    )
  },
)

export const arrays: Readonly<Record<string, Operator>> = {
  $size: listOperator([1, 1], ([value]) => {
    if (Array.isArray(value)) return value.length
    throw new CommandError(
      'Location17124',
      `The argument to $size must be an array, but was of type: ${typeName(value)}`,
    )
  }),
  $isArray: listOperator([1, 1], ([value]) => Array.isArray(value)),
  $arrayElemAt: listOperator([2, 2], ([array, index]) => {
    if (isNullish(array) || isNullish(index)) return null
    if (!Array.isArray(array))
      throw new CommandError(
        'Location28689',
        `$arrayElemAt's first argument must be an array, but is ${typeName(array)}`,
      )
    if (!isNumeric(index))
      throw new CommandError(
        'Location28690',
        `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`,
      )
    const place = toNumber(index)
    if (!Number.isInteger(place))
      throw new CommandError(
        'Location28691',
        `$arrayElemAt's second argument must be representable as a 32-bit integer: ${place}`,
      )
    return array.at(place) as unknown
  }),
  $first: edge('$first', 0),
  $last: edge('$last', -1),
  $concatArrays: listOperator([0, Infinity], (values) => {
    if (values.some(isNullish)) return null
    return values.flatMap((value) =>
      requireArray(value, 'Location28664', '$concatArrays only supports arrays, not '),
    )
  }),
  $slice: listOperator([2, 3], ([array, ...numbers]) => slice(array, numbers)),
  $in: listOperator([2, 2], ([value, array], { scope }) =>
    requireArray(
      array,
      'Location40081',
      '$in requires an array as a second argument, found: ',
    ).some((item) => isEqual(item, value, scope.collation)),
  ),
  $indexOfArray: listOperator([2, 4], ([array, value, from, to], { scope }) => {
    if (isNullish(array)) return null
    const items = requireArray(
      array,
      'Location40090',
      '$indexOfArray requires an array as a first argument, found: ',
    )
    const start = from === undefined ? 0 : requireIndex('$indexOfArray', from)
    const end =
      to === undefined ? items.length : Math.min(items.length, requireIndex('$indexOfArray', to))
    for (let i = start; i < end; i++) if (isEqual(items[i], value, scope.collation)) return i
    return -1
  }),
  $range: listOperator([2, 3], (values) => range(values)),
  $reverseArray: listOperator([1, 1], ([value]) =>
    isNullish(value)
      ? null
      : requireArray(
          value,
          'Location34435',
          'The argument to $reverseArray must be an array, but was of type: ',
        ).toReversed(),
  ),
  $zip: zip,
  $firstN: takeN,
  $lastN: takeN,
  $minN: takeN,
  $maxN: takeN,
  $arrayToObject: listOperator([1, 1], ([value]) => toObject(value)),
  $objectToArray: listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    if (!isDocument(value))
      throw new CommandError(
        'Location40390',
        `$objectToArray requires a document input, found: ${typeName(value)}`,
      )
    return Object.keys(value).map((k) => ({ k, v: value[k] }))
  }),
}

function toSet(name: string, value: unknown, { collation }: Scope): Map<string, unknown> {
  const items = setOperand(name, value)
  return new Map(items.map((item) => [encodeKey(item, false, collation), item]))
}

function setOperand(name: string, value: unknown): unknown[] {
  return requireArray(
    value,
    'Location17041',
    `All operands of ${name} must be arrays. One argument is of type: `,
  )
}

export const sets: Readonly<Record<string, Operator>> = {
  $setUnion: listOperator([0, Infinity], (values, { name, scope }) => {
    if (values.some(isNullish)) return null
    return [
      ...toSet(
        name,
        values.flatMap((value) => setOperand(name, value)),
        scope,
      ).values(),
    ]
  }),
  $setIntersection: listOperator([0, Infinity], (values, { name, scope }) => {
    if (values.some(isNullish)) return null
    const [first, ...rest] = values.map((value) => toSet(name, value, scope))
    const common = [...(first ?? [])].filter(([key]) => rest.every((other) => other.has(key)))
    return common.map(([, item]) => item)
  }),
  $setDifference: listOperator([2, 2], ([a, b], { name, scope }) => {
    if (isNullish(a) || isNullish(b)) return null
    const without = toSet(name, b, scope)
    const rest = [...toSet(name, a, scope)].filter(([key]) => !without.has(key))
    return rest.map(([, item]) => item)
  }),
  $setEquals: listOperator([2, Infinity], (values, { name, scope }) => {
    const [first, ...rest] = values.map((value) => toSet(name, value, scope))
    return rest.every(
      (other) => other.size === first?.size && [...other.keys()].every((key) => first.has(key)),
    )
  }),
  $setIsSubset: listOperator([2, 2], ([a, b], { name, scope }) => {
    const whole = toSet(name, b, scope)
    return [...toSet(name, a, scope).keys()].every((key) => whole.has(key))
  }),
  $anyElementTrue: listOperator([1, 1], ([value], { name }) =>
    setOperand(name, value).some(isTrue),
  ),
  $allElementsTrue: listOperator([1, 1], ([value], { name }) =>
    setOperand(name, value).every(isTrue),
  ),
}
