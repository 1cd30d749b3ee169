import { type Double, type Long, ObjectId } from 'bson'
import { assume } from '../bson/assume.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { typeName } from '../bson/type-name.ts'
import { Row } from '../catalog/row.ts'
import { CommandError } from '../errors/command-error.ts'
import { type BatchItem, toDoc } from './batch-item.ts'

/** The largest document that can be stored. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

/**
 * A row that may be stored: small enough, with `_id` first.
 *
 * @param recordId The record's id.
 * @param item The document, decoded or raw.
 * @returns The row; an absent `_id` is made.
 * @throws {CommandError} 10334 when too large, 53 for an `_id` that cannot be one.
 */
export function toStorableRow(recordId: string, item: BatchItem): Row {
  const given = toDoc(item)
  const doc = withIdFirst(given)
  // What came raw and needs no change is stored as it came; copied, or it would hold its whole message.
  const raw = 'raw' in item && doc === given ? Buffer.from(item.raw) : encode(doc)
  if (raw.length > MAX_DOCUMENT_BYTES) {
    throw new CommandError(
      10334,
      `BSONObj size: ${raw.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}`,
    )
  }
  requireId(doc['_id'])
  return new Row(recordId, raw, doc)
}

function withIdFirst(doc: Doc): Doc {
  if (Object.keys(doc)[0] === '_id') return doc
  return { _id: new ObjectId(), ...doc }
}

function requireId(id: unknown): void {
  const type = typeName(id)
  if (type === 'array' || type === 'regex') {
    throw new CommandError(53, `The '_id' value cannot be of type ${type}`)
  }
  const dollar = isDocument(id) ? Object.keys(id).find((name) => name.startsWith('$')) : undefined
  if (dollar !== undefined) {
    throw new CommandError(
      52,
      `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
    )
  }
}

/**
 * An argument that must be a document.
 *
 * @param value The argument.
 * @param name How the client calls it.
 * @returns The document; an empty one when it is missing.
 * @throws {CommandError} 14 when it is something else.
 */
export function toDocument(value: unknown, name: string): Doc {
  if (value === undefined || value === null) return {}
  if (isDocument(value)) return value
  throw wrongType(name, value, 'object')
}

/**
 * An argument that must be a whole number from 0.
 *
 * @param value The argument.
 * @param name How the client calls it.
 * @returns The number, `undefined` when it is missing.
 * @throws {CommandError} 14 when it is no number, 51024 when it is below 0.
 */
export function toCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  const type = typeName(value)
  if (!['int', 'long', 'double', 'decimal'].includes(type)) throw wrongType(name, value, 'long')
  const number = Math.trunc(Number(assume<Double | Long>(value).toString()))
  if (number >= 0) return number
  throw new CommandError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`)
}

/**
 * An argument that must be true or false.
 *
 * @param value The argument.
 * @param name How the client calls it.
 * @returns The argument; false when it is missing.
 * @throws {CommandError} 14 when it is something else, such as 1.
 */
export function toBoolean(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw wrongType(name, value, 'bool')
}

/**
 * An argument that must be a list of documents.
 *
 * @param value The argument.
 * @param name How the client calls it.
 * @returns The documents.
 * @throws {CommandError} 14 when it is something else.
 */
export function toDocuments(value: unknown, name: string): Doc[] {
  if (!Array.isArray(value)) throw wrongType(name, value, 'array')
  return value.map((item: unknown) => {
    if (isDocument(item)) return item
    throw wrongType(name, item, 'object')
  })
}

function wrongType(name: string, value: unknown, expected: string): CommandError {
  return new CommandError(
    14,
    `BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  )
}

/**
 * Refuses an argument that lacks a field.
 *
 * @param doc The argument.
 * @param name How the client calls it.
 * @param required What it must have.
 * @throws {CommandError} 40414 naming the missing field.
 */
export function requireFields(doc: Doc, name: string, required: readonly string[]): void {
  for (const field of required) {
    if (doc[field] === undefined) {
      throw new CommandError(40414, `BSON field '${name}.${field}' is missing but a required field`)
    }
  }
}

/**
 * Refuses fields an argument does not know.
 *
 * @param doc The argument.
 * @param name How the client calls it.
 * @param known Its fields.
 * @throws {CommandError} 40415 naming the unknown field.
 */
export function requireKnownFields(doc: Doc, name: string, known: readonly string[]): void {
  for (const field of Object.keys(doc)) {
    if (!known.includes(field)) {
      throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`)
    }
  }
}
