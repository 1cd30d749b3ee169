import { assume } from './assume.ts'
import { isDocument } from './document.ts'

/** BSON's type numbers and their aliases as `$type` takes and gives them. */
export const typeAliases: Readonly<Record<string, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
}

const aliasByNumber = new Map(Object.entries(typeAliases).map(([name, type]) => [type, name]))

// Type number of each BSON class, by its tag.
const classTypes: Readonly<Record<string, number>> = {
  Double: 1,
  Binary: 5,
  ObjectId: 7,
  BSONRegExp: 11,
  DBRef: 3,
  Code: 13,
  BSONSymbol: 14,
  Int32: 16,
  Timestamp: 17,
  Long: 18,
  Decimal128: 19,
  MinKey: -1,
  MaxKey: 127,
}

// Canonical order of the types: all numbers share one place, so do string and symbol.
const orders: Readonly<Record<number, number>> = {
  [-1]: -1,
  0: 0,
  6: 0,
  10: 5,
  1: 10,
  16: 10,
  18: 10,
  19: 10,
  2: 15,
  14: 15,
  3: 20,
  4: 25,
  5: 30,
  7: 35,
  8: 40,
  9: 45,
  17: 47,
  11: 50,
  12: 55,
  13: 60,
  15: 65,
  127: 127,
}

/**
 * Gives BSON's type number of a value.
 * @param value - Any value of a document.
 * @returns The number, 0 for a missing value.
 */
export function typeNumber(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 2
    case 'number':
      return (value | 0) === value && !Object.is(value, -0) ? 16 : 1
    case 'boolean':
      return 8
    case 'undefined':
      return 0
    default:
      return value === null ? 10 : objectType(value)
  }
}

function objectType(value: unknown): number {
  if (isDocument(value)) return 3
  if (Array.isArray(value)) return 4
  if (value instanceof Date) return 9
  const { _bsontype: tag, scope } = assume<{ _bsontype: string; scope: unknown }>(value)
  if (tag === 'Code' && scope) return 15
  return classTypes[tag] ?? 3
}

/**
 * Gives BSON's type alias of a value, as the expression `$type` does.
 * @param value - Any value of a document.
 * @returns The alias, `missing` for a missing value.
 */
export function typeName(value: unknown): string {
  return aliasByNumber.get(typeNumber(value)) ?? 'missing'
}

/**
 * Gives the place of a value's type in BSON's canonical order.
 * @param value - Any value of a document.
 * @returns The place: missing 0, null 5, numbers 10, strings 15, …
 */
export function typeOrder(value: unknown): number {
  if (typeof value === 'string') return 15
  if (typeof value === 'number') return 10
  return orders[typeNumber(value)] ?? 20
}

/**
 * Gives the alias of a type number.
 * @param type - BSON's type number.
 * @returns The alias, undefined for an unknown number.
 */
export function typeAlias(type: number): string | undefined {
  return aliasByNumber.get(type)
}
