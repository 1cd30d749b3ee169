import { type Doc, getField, isDocument, withField } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'

/**
 * Cuts the first array on a path to the element the filter hit.
 * @param doc - The document.
 * @param path - The path, without its `$`.
 * @param hit - What the filter's `hit` gave.
 * @returns The document with the shorter array.
 * @throws {CommandError} 51246 when no element was hit.
 */
export function keepHitOnly(doc: Doc, path: string, hit: number | undefined): Doc {
  const [name = '', ...rest] = path.split('.')
  const value = getField(doc, name)
  if (Array.isArray(value)) {
    if (hit === undefined || hit < 0 || hit >= value.length) {
      throw new CommandError(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      )
    }
    return withField(doc, name, [value[hit]])
  }
  if (!isDocument(value) || rest.length === 0) return doc
  return withField(doc, name, keepHitOnly(value, rest.join('.'), hit))
}
