import { encodeKey } from '../../keys/encode-key.ts'
import { requireArray } from './arrays.ts'
import { isNullish, isTrue, listOperator, type Operator } from './operator.ts'
import { type Scope } from './scope.ts'

function toSet(name: string, value: unknown, { collation }: Scope): Map<string, unknown> {
  const items = array(name, value)
  return new Map(items.map((item) => [encodeKey(item, false, collation), item]))
}

function array(name: string, value: unknown): unknown[] {
  return requireArray(
    value,
    17041,
    `All operands of ${name} must be arrays. One argument is of type: `,
  )
}

/** Arrays as sets. */
export const sets: Readonly<Record<string, Operator>> = {
  $setUnion: listOperator([0, Infinity], (values, { name, scope }) => {
    if (values.some(isNullish)) return null
    return [
      ...toSet(
        name,
        values.flatMap((value) => array(name, value)),
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
  $anyElementTrue: listOperator([1, 1], ([value], { name }) => array(name, value).some(isTrue)),
  $allElementsTrue: listOperator([1, 1], ([value], { name }) => array(name, value).every(isTrue)),
}
