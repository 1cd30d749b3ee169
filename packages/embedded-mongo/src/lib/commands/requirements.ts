import { ObjectId } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { decode, decodedUndefined, encode } from '../bson/codec.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { typeName } from '../bson/type-name.ts'
import { Row } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'

export const maxDocumentBytes = 16 * 1024 * 1024

// A document of a write, as sent by the client.
export type BatchItem = { doc: Doc } | { raw: Buffer }

export function toDoc(item: BatchItem): Doc {
  return 'doc' in item ? item.doc : decode(item.raw)
}

// A row that may be stored: small enough, with `_id` first.
export function toStorableRow(
  recordId: string,
  item: BatchItem,
  complete: (doc: Doc) => Doc = (doc) => doc,
): Row {
  const given = toDoc(item)
  const doc = complete(withIdFirst(given))
  // Unchanged raw documents are stored as received, copied so that they do not retain the whole message.
  const isUnchanged = doc === given && !decodedUndefined()
  const raw = 'raw' in item && isUnchanged ? Buffer.from(item.raw) : encode(doc)
  if (raw.length > maxDocumentBytes) {
    throw new CommandError(
      'BSONObjectTooLarge',
      `BSONObj size: ${raw.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`,
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
    throw new CommandError('InvalidIdField', `The '_id' value cannot be of type ${type}`)
  }
  const dollar = isDocument(id) ? Object.keys(id).find((name) => name.startsWith('$')) : undefined
  if (dollar !== undefined) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`,
    )
  }
}

export function toDocument(value: unknown, name: string): Doc {
  if (value === undefined || value === null) return {}
  if (isDocument(value)) return value
  throw wrongType(name, value, 'object')
}

export function toCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (!isNumeric(value)) throw wrongType(name, value, 'long')
  const number = Math.trunc(toNumber(value))
  if (number >= 0) return number
  throw new CommandError(
    'Location51024',
    `BSON field '${name}' value must be >= 0, actual value '${number}'`,
  )
}

export function toBoolean(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw wrongType(name, value, 'bool')
}

export function toDocuments(value: unknown, name: string): Doc[] {
  if (!Array.isArray(value)) throw wrongType(name, value, 'array')
  return value.map((item: unknown) => {
    if (isDocument(item)) return item
    throw wrongType(name, item, 'object')
  })
}

function wrongType(name: string, value: unknown, expected: string): CommandError {
  return new CommandError(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`,
  )
}

export function requireFields(doc: Doc, name: string, required: readonly string[]): void {
  for (const field of required) {
    if (doc[field] === undefined) {
      throw new CommandError(
        'Location40414',
        `BSON field '${name}.${field}' is missing but a required field`,
      )
    }
  }
}

export function requireKnownFields(doc: Doc, name: string, known: readonly string[]): void {
  for (const field of Object.keys(doc)) {
    if (!known.includes(field)) {
      throw new CommandError('Location40415', `BSON field '${name}.${field}' is an unknown field.`)
    }
  }
}
