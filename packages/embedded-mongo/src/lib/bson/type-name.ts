import { type ObjectId, type Timestamp } from 'bson'
import { isDocument } from './document.ts'

// BSON's type numbers by the aliases that $type accepts and returns.
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

// Canonical order of the types: all numbers share a position, and so do string and symbol.
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

// 0 for a missing value.
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
    case 'object':
      return value === null ? 10 : objectType(value)
    default:
      return 3
  }
}

function objectType(value: object): number {
  if (isDocument(value)) return 3
  if (Array.isArray(value)) return 4
  if (value instanceof Date) return 9
  const { _bsontype: tag = '', scope }: { _bsontype?: string; scope?: unknown } = value
  if (tag === 'Code' && scope) return 15
  return classTypes[tag] ?? 3
}

export function typeName(value: unknown): string {
  return aliasByNumber.get(typeNumber(value)) ?? 'missing'
}

// The position of the type in BSON's canonical order.
export function typeOrder(value: unknown): number {
  if (typeof value === 'string') return 15
  if (typeof value === 'number') return 10
  return orders[typeNumber(value)] ?? 20
}

export function typeAlias(type: number): string | undefined {
  return aliasByNumber.get(type)
}

export function isObjectId(value: unknown): value is ObjectId {
  return typeNumber(value) === 7
}

export function isTimestamp(value: unknown): value is Timestamp {
  return typeNumber(value) === 17
}
