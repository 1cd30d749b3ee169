import { type core } from 'zod'
import { type BsonValue, bsonTypes, decodeBson, toBsonSize } from '../json/bson.ts'
import { toIsoText } from '../json/iso-text.ts'
import { createWriter, type Serializer, type WriterOptions } from './serializer.ts'
import { type ShapeField, toShape } from './shape.ts'

// Writes a stored value as JSON. Undefined is left out.
export type BsonWriter = (value: BsonValue) => string | undefined

// Creates a function that writes what `JSON.stringify` writes of the values that a serializer returns, from BSON: most
// values are copied without being decoded. Values of other kinds are decoded one by one and written by the serializer.
export function createBsonWriter(schema: core.$ZodType, options: WriterOptions): BsonWriter {
  const write = toWriter(schema, { options, writers: new Map() })
  return ({ bytes, text, type, at }) => write({ bytes, text }, type, at)
}

type Source = Pick<BsonValue, 'bytes' | 'text'>
type Write = (source: Source, type: number, at: number) => string | undefined

interface How {
  readonly options: WriterOptions
  /** By schema: one may contain itself. */
  readonly writers: Map<core.$ZodType, Write>
}

function toWriter(schema: core.$ZodType, how: How): Write {
  const { writers } = how
  const known = writers.get(schema)
  if (known) return known
  writers.set(schema, (source, type, at) => writers.get(schema)?.(source, type, at))
  const write = toShapeWriter(schema, how)
  writers.set(schema, write)
  return write
}

function toShapeWriter(schema: core.$ZodType, how: How): Write {
  const shape = toShape(schema, how.options.refused)
  const decode = toDecodingWriter(schema, how)
  if (shape.kind === 'object') return toObjectWriter(shape.fields, decode, how)
  if (shape.kind === 'array') return toArrayWriter(toWriter(shape.item, how))
  if (shape.kind === 'same') return toWriter(shape.inner, how)
  if (shape.kind === 'nullable') return toEmptiableWriter(toWriter(shape.inner, how), true)
  if (shape.kind === 'optional') {
    return toEmptiableWriter(toWriter(shape.inner, how), shape.keepsNull)
  }
  return shape.kind === 'scalar' || shape.kind === 'any' ? toLeafWriter(decode) : decode
}

// Created when it is first needed: most values need none.
function toDecodingWriter(schema: core.$ZodType, { options }: How): Write {
  let write: Serializer | undefined
  return ({ bytes, text }, type, at) => {
    write ??= createWriter(schema, options)
    return toText(write(decodeBson({ bytes, text, type, at })))
  }
}

// The types do not say that JSON.stringify returns undefined for what JSON does not have.
function toText(value: unknown): string | undefined {
  return JSON.stringify(value)
}

function toEmptiableWriter(write: Write, keepsNull: boolean): Write {
  const onNull = keepsNull ? 'null' : undefined
  return (source, type, at) => {
    if (type === bsonTypes.null) return onNull
    return type === bsonTypes.undefined ? undefined : write(source, type, at)
  }
}

function toArrayWriter(write: Write): Write {
  return (source, type, start) => {
    if (type !== bsonTypes.array) return undefined
    const { bytes, text } = source
    const end = start + bytes.readInt32LE(start) - 1
    let at = start + 4
    let json = '['
    while (at < end) {
      const itemType = bytes[at] ?? 0
      const value = text.indexOf('\0', at + 1) + 1
      json += (json.length > 1 ? ',' : '') + (write(source, itemType, value) ?? 'null')
      at = value + toBsonSize(bytes, itemType, value)
    }
    return `${json}]`
  }
}

interface Field {
  readonly isId: boolean
  /** The text before its value, with and without a comma: `,"title":`. */
  readonly prefix: string
  readonly firstPrefix: string
  readonly write: Write
  /** Writes the value of a missing field. */
  readonly writeMissing: () => string | undefined
}

// The name of a stored element.
interface Name {
  /** The name as Latin-1, with the byte 0 that ends it. */
  readonly text: string
  /** The place of its value in an object that was read. */
  readonly place: number
}

function toObjectWriter(shapes: readonly ShapeField[], decode: Write, how: How): Write {
  // A missing field of such a name is read from the prototype.
  if (shapes.some(({ key }) => key in Object.prototype)) return decode
  const read = createReader(shapes.map(({ key }) => key))
  const write = toFieldsWriter(shapes, how)
  const writeOther = toLeafWriter(decode)
  return (source, type, at) => {
    if (type !== bsonTypes.object) return writeOther(source, type, at)
    const found = read(source, at)
    return found ? write(source, found) : decode(source, type, at)
  }
}

// The values of an object in the order of the fields, then that of `_id`. A missing one has the type 0.
interface Found {
  readonly types: number[]
  readonly starts: number[]
}

type Reader = (source: Source, at: number) => Found | undefined

// Undefined for a reference, which the driver decodes in another way.
function createReader(keys: readonly string[]): Reader {
  const names = new Map<string, Name>()
  const [idPlace, otherPlace] = [keys.length, keys.length + 1]
  for (const [place, key] of ['_id', ...keys].entries()) {
    const text = `${Buffer.from(key).toString('latin1')}\0`
    names.set(text, { text, place: place === 0 ? idPlace : place - 1 })
  }
  const blank = Array.from({ length: keys.length + 2 }, () => 0)
  // The names in the order of the last object: most likely the next one has the same.
  const order: Name[] = []
  const findName = (text: string, at: number): Name => {
    const name = text.slice(at, text.indexOf('\0', at) + 1)
    return names.get(name) ?? { text: name, place: otherPlace }
  }
  return ({ bytes, text }, start) => {
    const [types, starts] = [blank.slice(), blank.slice()]
    const end = start + bytes.readInt32LE(start) - 1
    for (let at = start + 4, index = 0; at < end; index++) {
      let name = order[index]
      if (name === undefined || !text.startsWith(name.text, at + 1)) {
        name = findName(text, at + 1)
        if (name.text.startsWith('$')) return undefined
        if (index < maxOrder) order[index] = name
      }
      const type = bytes[at] ?? 0
      const value = at + 1 + name.text.length
      types[name.place] = type
      starts[name.place] = value
      at = value + toBsonSize(bytes, type, value)
    }
    return { types, starts }
  }
}

// Objects with more elements are slower, and do not take more memory.
const maxOrder = 200

function toFieldsWriter(
  shapes: readonly ShapeField[],
  how: How,
): (source: Source, found: Found) => string {
  const fields = shapes.map((field) => toField(field, how))
  const own = shapes.findIndex(({ key }) => key === '_id')
  const idPlace = own === -1 ? fields.length : own
  return (source, { types, starts }) => {
    let json = '{'
    let isFirst = true
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index]
      if (field === undefined) break
      const { isId, prefix, write, writeMissing } = field
      const place = isId && isUndefined(types[index]) ? idPlace : index
      const type = types[place] ?? 0
      const value = type === 0 ? writeMissing() : write(source, type, starts[place] ?? 0)
      if (value === undefined) continue
      json += (isFirst ? field.firstPrefix : prefix) + value
      isFirst = false
    }
    return `${json}}`
  }
}

function isUndefined(type: number | undefined): boolean {
  return type === 0 || type === bsonTypes.undefined
}

function toField({ key, schema }: ShapeField, how: How): Field {
  const { kind } = toShape(schema, how.options.refused)
  const isEmpty = ['scalar', 'optional', 'nullable', 'array', 'object', 'any'].includes(kind)
  let writeDefault: Serializer | undefined
  return {
    isId: key === 'id',
    firstPrefix: `${JSON.stringify(key)}:`,
    prefix: `,${JSON.stringify(key)}:`,
    write: toWriter(schema, how),
    writeMissing() {
      if (isEmpty) return undefined
      writeDefault ??= createWriter(schema, how.options)
      return toText(writeDefault(undefined))
    },
  }
}

// Writes a value without parts. Every serializer that may get one writes it in the same way.
function toLeafWriter(decode: Write): Write {
  return (source, type, at) => {
    const { bytes } = source
    switch (type) {
      case bsonTypes.text:
        return writeText(source, at)
      case bsonTypes.objectId:
        return `"${bytes.toString('hex', at, at + 12)}"`
      case bsonTypes.int:
        return String(bytes.readInt32LE(at))
      case bsonTypes.double:
        return toText(bytes.readDoubleLE(at))
      case bsonTypes.boolean:
        return bytes[at] === 1 ? 'true' : 'false'
      case bsonTypes.date:
        return writeDate(bytes, at)
      case bsonTypes.null:
        return 'null'
      case bsonTypes.undefined:
        return undefined
      default:
        return writeLong(source, type, at) ?? decode(source, type, at)
    }
  }
}

function writeText({ bytes, text }: Source, at: number): string {
  const start = at + 4
  const end = start + bytes.readInt32LE(at) - 1
  if (isPlainText(bytes, start, end)) return `"${text.slice(start, end)}"`
  const decoded = bytes.toString('utf8', start, end)
  // It replaces what is not UTF-8, which the driver rejects.
  if (!decoded.includes('\uFFFD')) return JSON.stringify(decoded)
  return JSON.stringify(decodeBson({ bytes, text, type: bsonTypes.text, at }))
}

// Whether bytes are printable ASCII without the characters that JSON escapes. A loop is faster than a pattern.
function isPlainText(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c) return false
  }
  return true
}

const maxTime = 8.64e15

function writeDate(bytes: Buffer, at: number): string | undefined {
  const ms = toNumber(bytes, at)
  return Math.abs(ms) <= maxTime ? `"${toIsoText(ms)}"` : undefined
}

// The 64-bit integer as a number, which is exact up to 2^53.
function toNumber(bytes: Buffer, at: number): number {
  return bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at)
}

function writeLong({ bytes }: Source, type: number, at: number): string | undefined {
  const value = type === bsonTypes.long ? toNumber(bytes, at) : Number.NaN
  return Number.isSafeInteger(value) ? String(value) : undefined
}
