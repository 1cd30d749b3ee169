import { serialize } from 'bson'
import { type Doc } from './document.ts'

/**
 * Encodes a document; fields that are `undefined` are left out.
 * @param doc - The document, with exact types.
 * @returns Its BSON.
 */
export function encode(doc: Doc): Buffer {
  const bytes = serialize(doc, { ignoreUndefined: true })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
