/** A JSON object of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>

/**
 * Tells whether a value is a JSON object.
 *
 * @param value anything
 * @returns true for objects but lists and null
 */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Takes an object from an object.
 *
 * @param value the object
 * @param key the key
 * @returns what is there; an empty object when it is something else
 */
export function objectAt(value: Json, key: string): Json {
  const found = value[key]
  return isJson(found) ? found : {}
}

/**
 * Takes a list from an object.
 *
 * @param value the object
 * @param key the key
 * @returns what is there; an empty list when it is something else
 */
export function listAt(value: Json, key: string): readonly unknown[] {
  const found = value[key]
  return Array.isArray(found) ? found : []
}

/**
 * Tells whether two JSON values are the same, whatever the order of their keys.
 *
 * @param a one
 * @param b the other
 * @returns true when they are
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  if (!isJson(a) || !isJson(b)) return a === b
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return keys.every((key) => isSame(a[key], b[key]))
}
