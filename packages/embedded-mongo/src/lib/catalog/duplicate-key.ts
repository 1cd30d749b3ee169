import { type Doc } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { expand } from '../keys/document-keys.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { indexPrefix } from '../storage/keys.ts'
import { type Collection, type Index } from './collection.ts'

/**
 * The error for a second document with one key in a unique index.
 *
 * @param collection The collection.
 * @param index The unique index.
 * @param hit The refused document and the key that is taken.
 * @returns Error 11000 with `keyPattern` and `keyValue`.
 */
export function duplicateKey(
  collection: Collection,
  index: Index,
  hit: { doc: Doc; key: string },
): CommandError {
  const values = keyValues(index, hit)
  const keyValue = Object.fromEntries(index.fields.map(({ path }, i) => [path, values[i] ?? null]))
  const shown = index.fields
    .map(({ path }, i) => `${path}: ${showValue(values[i] ?? null)}`)
    .join(', ')
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: { ${shown} }`,
    { details: { keyPattern: index.pattern, keyValue } },
  )
}

function keyValues(index: Index, { doc, key }: { doc: Doc; key: string }): unknown[] {
  const { rows } = expand(
    doc,
    index.fields.map((field) => field.path),
  )
  const wanted = key.slice(indexPrefix(index.id).length)
  const toKey = (row: unknown[]): string =>
    row.map((value, i) => encodeKey(value, index.fields[i]?.descending, index.collation)).join('')
  return rows.find((row) => toKey(row) === wanted) ?? []
}
