import { type Doc, getField, isDocument, setField } from '../../bson/document.ts'

/**
 * Sets a value at a path, making documents on the way.
 * @param doc - The document; it is not changed.
 * @param path - The parts of the path.
 * @param value - The value.
 * @returns A new document.
 */
export function withValue(doc: Doc, path: readonly string[], value: unknown): Doc {
  const [name = '', ...rest] = path
  const copy = { ...doc }
  const inner = getField(doc, name)
  setField(
    copy,
    name,
    rest.length === 0 ? value : withValue(isDocument(inner) ? inner : {}, rest, value),
  )
  return copy
}
