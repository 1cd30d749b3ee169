import { type Decimal128 } from 'bson'
import { compare } from '../keys/compare.ts'
import { assume } from './assume.ts'
import { isDocument } from './document.ts'
import { typeNumber } from './type-name.ts'

/**
 * Tells whether two values have the same BSON, so that 1, 1.0 and Long(1) differ.
 * @param a - The first value.
 * @param b - The second value.
 * @returns True when writing one over the other changes nothing.
 */
export function isIdentical(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  const type = typeNumber(a)
  if (type !== typeNumber(b)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isIdentical(item, b[i]))
  }
  if (isDocument(a) && isDocument(b)) {
    const names = Object.keys(a)
    const others = Object.keys(b)
    return (
      names.length === others.length &&
      names.every((name, i) => name === others[i] && isIdentical(a[name], b[name]))
    )
  }
  if (type === 19) {
    return Buffer.compare(assume<Decimal128>(a).bytes, assume<Decimal128>(b).bytes) === 0
  }
  return typeof a !== 'number' && compare(a, b) === 0
}
