import { mongo } from 'mongoose'

// The types of BSON values (https://bsonspec.org/spec.html) that are read without the driver.
export const bsonTypes = {
  double: 1,
  text: 2,
  object: 3,
  array: 4,
  undefined: 6,
  objectId: 7,
  boolean: 8,
  date: 9,
  null: 10,
  int: 16,
  long: 18,
} as const

// A value in BSON: where it starts in the bytes, after the name of its element.
export interface BsonValue {
  readonly bytes: Buffer
  /** The bytes as Latin-1: one character each. */
  readonly text: string
  readonly type: number
  readonly at: number
}

// How many bytes the values of a type have; −1 if each has its own size.
const sizes = new Int8Array(256).fill(-1)
for (const [size, types] of [
  [0, [6, 10, 127, 255]],
  [1, [8]],
  [4, [16]],
  [8, [1, 9, 17, 18]],
  [12, [7]],
  [16, [19]],
] as const) {
  for (const type of types) sizes[type] = size
}

// How many bytes a value has.
export function toBsonSize(bytes: Buffer, type: number, at: number): number {
  const size = sizes[type] ?? -1
  if (size >= 0) return size
  switch (type) {
    // The length of text, code and symbols does not count itself.
    case 2:
    case 13:
    case 14:
      return 4 + bytes.readInt32LE(at)
    // Binary data: the length does not count itself and the subtype.
    case 5:
      return 5 + bytes.readInt32LE(at)
    // A regular expression: two texts that end with 0.
    case 11:
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1 - at
    // A pointer: a text and an id.
    case 12:
      return 16 + bytes.readInt32LE(at)
    // Objects, arrays and code with a scope: the length counts itself.
    default:
      return bytes.readInt32LE(at)
  }
}

// The value as the driver returns it.
export function decodeBson({ bytes, type, at }: BsonValue): unknown {
  const size = toBsonSize(bytes, type, at)
  // An object with this value as its only element, whose name has one letter.
  const document = Buffer.allocUnsafe(size + 8)
  document.writeInt32LE(document.length, 0)
  document.writeUInt8(type, 4)
  document.write('v\0', 5, 'latin1')
  bytes.copy(document, 7, at, at + size)
  document.writeUInt8(0, document.length - 1)
  return mongo.BSON.deserialize(document)['v']
}

// Calls `visit` with the name of each element, as Latin-1, and its value.
export function eachElement(
  { bytes, text, at: start }: BsonValue,
  visit: (name: string, value: BsonValue) => void,
): void {
  const end = start + bytes.readInt32LE(start) - 1
  let at = start + 4
  while (at < end) {
    const type = bytes.readUInt8(at)
    const nameEnd = text.indexOf('\0', at + 1)
    visit(text.slice(at + 1, nameEnd), { bytes, text, type, at: nameEnd + 1 })
    at = nameEnd + 1 + toBsonSize(bytes, type, nameEnd + 1)
  }
}

// The element of this name, the last one if there are several.
export function findElement(document: BsonValue, name: string): BsonValue | undefined {
  let found: BsonValue | undefined
  eachElement(document, (own, value) => {
    if (own === name) found = value
  })
  return found
}
