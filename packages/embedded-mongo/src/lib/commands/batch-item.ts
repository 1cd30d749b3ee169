import { decode } from '../bson/decode.ts'
import { type Doc } from '../bson/document.ts'

/** A document of a batch: decoded, or raw. */
export type BatchItem = { doc: Doc } | { raw: Buffer }

/**
 * The document of a batch's item.
 *
 * @param item Decoded or raw.
 * @returns The document.
 */
export function toDoc(item: BatchItem): Doc {
  return 'doc' in item ? item.doc : decode(item.raw)
}
