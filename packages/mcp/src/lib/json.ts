/** A plain object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// A member that is an object; empty if there is none.
export function objectAt(value: unknown, key: string): JsonObject {
  const member = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isJsonObject(member) ? member : {}
}

export function textAt(value: JsonObject, key: string): string | undefined {
  const member = value[key]
  return typeof member === 'string' ? member : undefined
}
