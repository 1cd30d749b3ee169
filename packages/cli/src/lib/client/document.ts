export type Json = Readonly<Record<string, unknown>>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function toJson(value: unknown): Json {
  return isJson(value) ? value : {}
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export interface Omission {
  readonly what: string
  readonly why: string
}

// What a client cannot do: the operation is left out.
export class Unsupported extends Error {}

// Notes what is unsupported and goes on.
export function attempt(what: string, omissions: Omission[], run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error
    omissions.push({ what, why: error.message })
  }
}

export class Document {
  readonly root: Json

  constructor(root: Json) {
    this.root = root
  }

  // What an object refers to, or the object itself.
  resolve(value: unknown, followed: readonly string[] = []): Json {
    const json = toJson(value)
    const reference = json['$ref']
    if (typeof reference !== 'string') return json
    const target = this.find(reference)
    if (target === undefined || followed.includes(reference)) {
      throw new Unsupported(`the reference ${reference} cannot be resolved in the document`)
    }
    return this.resolve(target, [...followed, reference])
  }

  find(reference: string): Json | undefined {
    if (!reference.startsWith('#/')) return undefined
    const keys = reference.slice(2).split('/').map(unescape)
    const target = keys.reduce<unknown>(
      (part, key) =>
        key !== undefined && Object.hasOwn(Object(part), key)
          ? Reflect.get(Object(part), key)
          : undefined,
      this.root,
    )
    return isJson(target) ? target : undefined
  }
}

// JSON Pointer as URI fragment (RFC 6901); undefined for a malformed one.
function unescape(key: string): string | undefined {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}
