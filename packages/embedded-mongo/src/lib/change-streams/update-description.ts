import { type Doc, isDocument } from '../bson/document.ts'
import { isIdentical } from '../bson/is-identical.ts'

/** What an update changed, as change streams tell it. */
export interface UpdateDescription {
  updatedFields: Doc
  removedFields: string[]
  truncatedArrays: { field: string; newSize: number }[]
}

/**
 * Compares a document before and after an update.
 *
 * @param before The document before.
 * @param after The document afterwards.
 * @returns The changed paths with their new values, and the removed ones.
 */
export function describeUpdate(before: Doc, after: Doc): UpdateDescription {
  const description = { updatedFields: {}, removedFields: [], truncatedArrays: [] }
  compareDocuments({ before, after, path: '' }, description)
  return description
}

interface Pair<T> {
  before: T
  after: T
  path: string
}

function compareDocuments({ before, after, path }: Pair<Doc>, found: UpdateDescription): void {
  for (const field of Object.keys(before)) {
    if (!(field in after)) found.removedFields.push(path + field)
  }
  for (const [field, value] of Object.entries(after)) {
    compareValues({ before: before[field], after: value, path: path + field }, found)
  }
}

function compareValues({ before, after, path }: Pair<unknown>, found: UpdateDescription): void {
  if (isIdentical(before, after)) return
  if (isDocument(before) && isDocument(after)) {
    compareDocuments({ before, after, path: `${path}.` }, found)
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareArrays({ before, after, path }, found)
  } else {
    found.updatedFields[path] = after
  }
}

function compareArrays({ before, after, path }: Pair<unknown[]>, found: UpdateDescription): void {
  if (after.length === 0) {
    found.updatedFields[path] = after
    return
  }
  if (after.length < before.length) {
    found.truncatedArrays.push({ field: path, newSize: after.length })
  }
  for (const [position, value] of after.entries()) {
    compareValues({ before: before[position], after: value, path: `${path}.${position}` }, found)
  }
}
