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
 * Copies documents and arrays; scalars are immutable in the engine and are shared.
 * @param value - Any value of a document.
 * @returns A value that may be changed in place.
 */
export function cloneValue<T>(value: T): T
export function cloneValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => cloneValue(item))
  if (!isDocument(value)) return value
  const copy: Doc = {}
  for (const field of Object.keys(value)) setField(copy, field, cloneValue(value[field]))
  return copy
}
