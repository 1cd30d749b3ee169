import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { type Doc, setField } from './document.ts'

// MongoDB stores 100 levels; a command wraps a document in a few more.
const maxDepth = 110

// Decoding is synchronous, so its state is the module's: no object per document, no extra parameters.
let bytes: Buffer
let at = 0
let depth = 0
let hadUndefined = false

// Keeps exact types: an integral double becomes `Double`, an int64 `Long`.
export function decode(input: Uint8Array): Doc {
  bytes = Buffer.isBuffer(input)
    ? input
    : Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  at = 0
  depth = 0
  hadUndefined = false
  try {
    return readDocument()
  } catch (error) {
    throw toInvalid(error)
  }
}

function toInvalid(error: unknown): unknown {
  return error instanceof RangeError
    ? new CommandError('InvalidBSON', 'invalid BSON', { cause: error })
    : error
}

interface FieldName {
  text: string
  utf8: Buffer
}

const fieldNames = new WeakMap<ReadonlySet<string>, FieldName[]>()

function toFieldNames(names: ReadonlySet<string>): FieldName[] {
  let known = fieldNames.get(names)
  if (!known) {
    known = [...names].map((text) => ({ text, utf8: Buffer.from(text) }))
    fieldNames.set(names, known)
  }
  return known
}

// Only the fields with these names, at the top level.
export function decodeFields(input: Buffer, names: ReadonlySet<string>): Doc {
  const doc: Doc = {}
  if (names.size === 0) return doc
  const wanted = toFieldNames(names)
  bytes = input
  at = 0
  depth = 0
  try {
    const end = open()
    for (let type = readByte(); type !== 0; type = readByte()) {
      const start = at
      at = nameEnd(input, start)
      const name = findName(wanted, input, start)
      at += 1
      if (name === undefined) skipValue(type)
      else setField(doc, name, readValue(type))
    }
    close(end)
    return doc
  } catch (error) {
    throw toInvalid(error)
  }
}

function nameEnd(input: Buffer, start: number): number {
  let end = start
  while (end < input.length && input[end] !== 0) end += 1
  return end
}

// The name whose bytes lie from the start to the current place.
function findName(names: readonly FieldName[], input: Buffer, start: number): string | undefined {
  const length = at - start
  for (const { text, utf8 } of names) {
    if (utf8.length !== length) continue
    let i = 0
    while (i < length && utf8[i] === input[start + i]) i += 1
    if (i === length) return text
  }
  return undefined
}

// Whether what was decoded last has values of the deprecated type undefined, which become null.
export function decodedUndefined(): boolean {
  return hadUndefined
}

function readDocument(): Doc {
  const end = open()
  const doc: Doc = {}
  for (let type = readByte(); type !== 0; type = readByte()) {
    const name = readName()
    if (name === '__proto__') setField(doc, name, readValue(type))
    else doc[name] = readValue(type)
  }
  close(end)
  return doc
}

function readArray(): unknown[] {
  const end = open()
  const array: unknown[] = []
  for (let type = readByte(); type !== 0; type = readByte()) {
    skipName()
    array.push(readValue(type))
  }
  close(end)
  return array
}

function open(): number {
  const end = at + bytes.readInt32LE(at)
  if (end > bytes.length || end < at + 5)
    throw new CommandError('InvalidBSON', 'invalid BSON: bad length')
  if (++depth > maxDepth) throw new CommandError('Overflow', 'BSON is nested too deep')
  at += 4
  return end
}

function close(end: number): void {
  depth--
  if (at !== end) throw new CommandError('InvalidBSON', 'invalid BSON: bad length')
}

function readByte(): number {
  const byte = bytes[at++]
  if (byte === undefined) throw new CommandError('InvalidBSON', 'invalid BSON: it ends too early')
  return byte
}

function readValue(type: number): unknown {
  switch (type) {
    case 2:
      return readString()
    case 16:
      return readInt32()
    case 1:
      return readDouble()
    case 3:
      return readDocument()
    case 4:
      return readArray()
    case 7:
      return new ObjectId(take(12))
    case 8:
      return readByte() === 1
    case 9:
      return new Date(readInt64AsNumber())
    case 10:
      return null
    case 18:
      return readLong()
    default:
      return readRareType(type)
  }
}

const ofUnknownLength = 255

// By type: how many bytes values take.
const fixedLengths = new Uint8Array(256).fill(ofUnknownLength)
for (const [type, length] of [
  [1, 8],
  [6, 0],
  [7, 12],
  [8, 1],
  [9, 8],
  [10, 0],
  [16, 4],
  [17, 8],
  [18, 8],
  [19, 16],
  [127, 0],
  [255, 0],
] as const) {
  fixedLengths[type] = length
}

function skipValue(type: number): void {
  const fixed = fixedLengths[type] ?? ofUnknownLength
  if (fixed !== ofUnknownLength) at += fixed
  else if (type === 2 || type === 13 || type === 14) at += 4 + readLength()
  // Their length includes itself.
  else if (type === 3 || type === 4 || type === 15) at += readLength()
  else if (type === 5) at += 5 + readLength()
  else readValue(type)
}

function readLength(): number {
  const length = bytes.readInt32LE(at)
  if (length < 0) throw new CommandError('InvalidBSON', 'invalid BSON: bad length')
  return length
}

function readRareType(type: number): unknown {
  const read = rareReaders[type]
  if (read === undefined)
    throw new CommandError('InvalidBSON', `invalid BSON: unknown type ${type}`)
  return read()
}

const rareReaders: Readonly<Record<number, () => unknown>> = {
  5: readBinary,
  6: () => {
    hadUndefined = true
    return null
  },
  11: () => {
    const pattern = readName()
    return new BSONRegExp(pattern, readName())
  },
  13: () => new Code(readString()),
  14: () => new BSONSymbol(readString()),
  15: () => {
    at += 4
    const code = readString()
    return new Code(code, readDocument())
  },
  17: () => {
    const increment = bytes.readUInt32LE(at)
    const seconds = bytes.readUInt32LE(at + 4)
    at += 8
    return new Timestamp({ t: seconds, i: increment })
  },
  19: () => new Decimal128(take(16)),
  127: () => new MaxKey(),
  255: () => new MinKey(),
}

function readInt32(): number {
  const value = bytes.readInt32LE(at)
  at += 4
  return value
}

function readDouble(): number | Double {
  const value = bytes.readDoubleLE(at)
  at += 8
  return Number.isInteger(value) && !Object.is(value, -0) ? new Double(value) : value
}

function readLong(): Long {
  const low = readInt32()
  return new Long(low, readInt32())
}

function readInt64AsNumber(): number {
  const low = bytes.readUInt32LE(at)
  const high = bytes.readInt32LE(at + 4)
  at += 8
  return high * 0x1_0000_0000 + low
}

function readBinary(): Binary {
  const length = readInt32()
  const subtype = readByte()
  if (subtype !== Binary.SUBTYPE_BYTE_ARRAY) return new Binary(take(length), subtype)
  // The old subtype 2 repeats its length inside.
  const inner = readInt32()
  if (inner !== length - 4) throw new CommandError('InvalidBSON', 'invalid BSON: bad binary length')
  return new Binary(take(inner), subtype)
}

// Copies, so that a small value does not keep a whole network message alive.
function take(length: number): Buffer {
  if (length < 0 || at + length > bytes.length) {
    throw new CommandError('InvalidBSON', 'invalid BSON: it ends too early')
  }
  const copy = Buffer.from(bytes.subarray(at, at + length))
  at += length
  return copy
}

const shortString = 16

function readString(): string {
  const length = readInt32() - 1
  const start = at
  const end = start + length
  if (length < 0 || end >= bytes.length)
    throw new CommandError('InvalidBSON', 'invalid BSON: bad string')
  at = end + 1
  if (length <= shortString) {
    const text = readAscii(start, end)
    if (text !== undefined) return text
  }
  return bytes.toString('utf8', start, end)
}

// For a few ASCII bytes this is faster than Buffer.toString().
function readAscii(start: number, end: number): string | undefined {
  let text = ''
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0
    if (byte > 127) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}

// Field names repeat: a small cache avoids creating (and hashing) the same string again.
const knownNames: (string | undefined)[] = Array.from({ length: 2048 })

function readName(): string {
  const start = at
  let hash = 7
  let ascii = true
  let byte = readByte()
  while (byte !== 0) {
    hash = (hash * 31 + byte) | 0
    if (byte > 127) ascii = false
    byte = readByte()
  }
  const end = at - 1
  if (!ascii) return bytes.toString('utf8', start, end)
  const slot = hash & 2047
  const known = knownNames[slot]
  if (known !== undefined && sameAscii(known, start, end)) return known
  const name = bytes.toString('latin1', start, end)
  knownNames[slot] = name
  return name
}

function sameAscii(name: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) {
    if (name.charCodeAt(i) !== bytes[start + i]) return false
  }
  return true
}

function skipName(): void {
  while (readByte() !== 0) continue
}

// A document of 16 MB, and what MongoDB adds to one.
export const maxEncodedBytes = 16 * 1024 * 1024 + 16 * 1024

// Fields that are `undefined` are left out. Throws for what is larger than a reply may be.
export function encode(doc: Doc): Buffer {
  const { buffer, byteOffset, byteLength } = serializeWithin(doc)
  if (byteLength > maxEncodedBytes) throw tooLarge()
  return Buffer.from(buffer, byteOffset, byteLength)
}

// The library writes into a buffer of 17 MB: past its end it cuts off text, and throws for other values.
function serializeWithin(doc: Doc): Uint8Array {
  try {
    return serialize(doc, { ignoreUndefined: true })
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(error)
    throw error
  }
}

function tooLarge(cause?: RangeError): CommandError {
  return new CommandError(
    'BSONObjectTooLarge',
    `BSONObj size is invalid. Size must be between 0 and ${maxEncodedBytes}(16MB)`,
    { cause },
  )
}
