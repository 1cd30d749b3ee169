import { isDocument } from '../bson/document.ts'
import { isEqual } from '../keys/compare.ts'
import { type Collection, type Index } from './collection.ts'

/**
 * Finds an index by its name or its key pattern.
 *
 * @param collection Where to look.
 * @param wanted Name or key pattern.
 * @returns The index, `undefined` when there is none.
 */
export function findIndex(collection: Collection, wanted: unknown): Index | undefined {
  return collection.indexes.find(({ name, pattern }) =>
    isDocument(wanted)
      ? isEqual(pattern, wanted) &&
        Object.keys(pattern).join('\0') === Object.keys(wanted).join('\0')
      : name === wanted,
  )
}
