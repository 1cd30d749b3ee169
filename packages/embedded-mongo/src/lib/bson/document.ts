// A missing field is `undefined`.
export type Doc = { [field: string]: unknown }

const plain = Object.prototype

// Excludes scalars, arrays and the classes of BSON.
export function isDocument(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === plain
}

// Inherited properties (`constructor`, `__proto__`) count as missing.
export function getField(doc: Doc, field: string): unknown {
  const value = doc[field]
  return typeof value === 'function' || value === plain ? undefined : value
}

// `__proto__` becomes an ordinary field.
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

// The path leads through documents only.
export function valueAt(node: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (isDocument(value) ? getField(value, name) : undefined), node)
}

export function withField(doc: Doc, field: string, value: unknown): Doc {
  const copy = { ...doc }
  if (value === undefined) delete copy[field]
  else setField(copy, field, value)
  return copy
}

// Creates documents along the way.
export function withPath(doc: Doc, path: readonly string[], value: unknown): Doc {
  const [name = '', ...rest] = path
  const inner = getField(doc, name)
  const next = rest.length === 0 ? value : withPath(isDocument(inner) ? inner : {}, rest, value)
  return withField(doc, name, next)
}

// The name comes from a client and may be one that every object inherits.
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
