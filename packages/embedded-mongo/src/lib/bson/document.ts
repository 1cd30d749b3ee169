/** A document of the engine: a plain object; a missing field is `undefined`. */
export type Doc = { [field: string]: unknown }

const plain = Object.prototype

/**
 * Tells a subdocument from scalars, arrays and the classes of BSON.
 * @param value - Any value of a document.
 * @returns True for a plain object.
 */
export function isDocument(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === plain
}

/**
 * Reads a field; what objects inherit (`constructor`, `__proto__`) is missing.
 * @param doc - The document.
 * @param field - The name of the field, without dots.
 * @returns The value, or undefined when missing.
 */
export function getField(doc: Doc, field: string): unknown {
  const value = doc[field]
  return typeof value === 'function' || value === plain ? undefined : value
}

/**
 * Writes a field in place; `__proto__` becomes an ordinary field.
 * @param doc - The document to change.
 * @param field - The name of the field, without dots.
 * @param value - The new value.
 */
export function setField(doc: Doc, field: string, value: unknown): void {
  if (field !== '__proto__') doc[field] = value
  else
    Object.defineProperty(doc, field, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

/**
 * Reads the value at a path that leads through documents only.
 * @param node - Where the path begins.
 * @param path - Its parts.
 * @returns The value; undefined when something on the way is missing or no document.
 */
export function valueAt(node: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (isDocument(value) ? getField(value, name) : undefined), node)
}

/**
 * Sets one field.
 * @param doc - The document; it is not changed.
 * @param field - The name of the field, without dots.
 * @param value - The new value; undefined removes the field.
 * @returns A new document.
 */
export function withField(doc: Doc, field: string, value: unknown): Doc {
  const copy = { ...doc }
  if (value === undefined) delete copy[field]
  else setField(copy, field, value)
  return copy
}

/**
 * Sets the value at a path, making documents on the way.
 * @param doc - The document; it is not changed.
 * @param path - The parts of the path.
 * @param value - The value; undefined removes the last field.
 * @returns A new document.
 */
export function withPath(doc: Doc, path: readonly string[], value: unknown): Doc {
  const [name = '', ...rest] = path
  const inner = getField(doc, name)
  const next = rest.length === 0 ? value : withPath(isDocument(inner) ? inner : {}, rest, value)
  return withField(doc, name, next)
}
