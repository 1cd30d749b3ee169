import { mongo } from 'mongoose'
import { isRecord, type Readable } from '../json/plain.ts'

const { BSON } = mongo

// A value as it is read back from the database: the driver's wrappers of numbers are numbers, members that are undefined
// are gone.
export function normalise(value: object): Readable
export function normalise(value: unknown): unknown
export function normalise(value: unknown): unknown {
  return BSON.deserialize(BSON.serialize({ value }))['value']
}

// The bytes of a normalised value. Type and order of members are part of them.
export function toBytes(value: unknown): Uint8Array {
  return BSON.serialize({ value })
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || Buffer.from(toBytes(one)).equals(toBytes(other))
}

// The members of an entry or a head as text, whatever their order.
export function toText(value: unknown): string {
  return BSON.EJSON.stringify(sortMembers(normalise(value)), { relaxed: false })
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isRecord(value)) return value
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, sortMembers(value[name])]))
}
