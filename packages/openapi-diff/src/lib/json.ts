export type Json = Readonly<Record<string, unknown>>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// The object under a key; an empty one when there is none.
export function objectAt(value: Json, key: string): Json {
  const found = value[key]
  return isJson(found) ? found : {}
}

// The list under a key; an empty one when there is none.
export function listAt(value: Json, key: string): readonly unknown[] {
  const found = value[key]
  return Array.isArray(found) ? found : []
}

// Compares by value, whatever the order of keys.
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  if (!isJson(a) || !isJson(b)) return a === b
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return keys.every((key) => isSame(a[key], b[key]))
}
