import { createHash } from 'node:crypto'
import { formatPath, matchesPath, type Path } from './body-paths.ts'
import { areDates, isIdName, toTokens } from './generated-values.ts'
import { matchPlaceholders, placeholderPattern } from './placeholders.ts'
import { type Body, headerOf, type RecordedResponse } from './recording.ts'

export interface Difference {
  /** Such as `status`, `headers.location` or `body.data[0].title`. */
  readonly at: string
  /** Excerpts of the two values. */
  readonly left: string
  readonly right: string
}

export interface Compared {
  readonly recorded: RecordedResponse
  readonly left: RecordedResponse
  readonly right: RecordedResponse
}

// Compares responses of two services. Ids, dates and tokens may differ, but an id has to replace the same one
// everywhere.
export class ResponseComparer {
  readonly #headers: readonly string[]
  readonly #ignored: readonly Path[]
  readonly #pairs = new Map<string, string>()

  constructor(headers: readonly string[], ignored: readonly Path[]) {
    this.#headers = headers
    this.#ignored = ignored
  }

  // The first difference, if any.
  compare({ left, recorded, right }: Compared): Difference | undefined {
    if (left.status !== right.status && !this.#isIgnored(['status'])) {
      return { at: 'status', left: String(left.status), right: String(right.status) }
    }
    for (const name of this.#headers) {
      const values = [left, right, recorded].map(({ headers }) => readHeader(headers, name))
      const path = ['headers', name]
      const found = this.#compareValues(values[0], values[1], { path, recorded: values[2] })
      if (found) return found
    }
    return this.#compareBodies(left.body, right.body, recorded.body)
  }

  #compareBodies(
    left: Body | undefined,
    right: Body | undefined,
    recorded: Body | undefined,
  ): Difference | undefined {
    const path = ['body']
    if (!left || !right) return left === right ? undefined : this.#differ(path, left, right)
    if ('omitted' in left || 'omitted' in right) return undefined
    const [before, after, original] = [left, right, recorded].map(toValue)
    if (before && after && before.kind === after.kind) {
      const at = { path, recorded: original?.value }
      return this.#compareValues(before.value, after.value, at)
    }
    return areSameBytes(left, right, recorded)
      ? undefined
      : this.#differ(path, describeBody(left), describeBody(right))
  }

  #compareValues(left: unknown, right: unknown, at: At): Difference | undefined {
    const { path } = at
    if (this.#isIgnored(path)) return undefined
    if (Array.isArray(left) && Array.isArray(right)) return this.#compareLists(left, right, at)
    if (isObject(left) && isObject(right)) return this.#compareObjects(left, right, at)
    return this.#areEqual(left, right, at) ? undefined : this.#differ(path, left, right)
  }

  #compareLists(
    left: readonly unknown[],
    right: readonly unknown[],
    { path, recorded }: At,
  ): Difference | undefined {
    for (const index of Array(Math.max(left.length, right.length)).keys()) {
      const below = { path: [...path, String(index)], recorded: memberOf(recorded, index) }
      const found = this.#compareValues(left[index], right[index], below)
      if (found) return found
    }
    return undefined
  }

  #compareObjects(
    left: Record<string, unknown>,
    right: Record<string, unknown>,
    { path, recorded }: At,
  ): Difference | undefined {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const below = { path: [...path, name], recorded: memberOf(recorded, name) }
      const found = this.#compareValues(ownValue(left, name), ownValue(right, name), below)
      if (found) return found
    }
    return undefined
  }

  #areEqual(left: unknown, right: unknown, { path, recorded }: At): boolean {
    if (left === right) return true
    if (typeof recorded === 'string' && recorded.search(placeholderPattern) >= 0) {
      return [left, right].every(
        (value) => isScalar(value) && matchPlaceholders(recorded, String(value)) !== undefined,
      )
    }
    const name = path.findLast((part) => !/^\d+$/.test(part)) ?? ''
    if (typeof left === 'number' && typeof right === 'number') {
      return (
        areDates(name, left, right) ||
        (isIdName(name) && this.#arePair(`${name} ${left}`, `${name} ${right}`))
      )
    }
    return typeof left === 'string' && typeof right === 'string' && this.#areLike(left, right)
  }

  #areLike(left: string, right: string): boolean {
    const [before, after] = [toTokens(left), toTokens(right)]
    if (before.length !== after.length) return false
    return before.every(({ kind, value }, index) => {
      const other = after[index]
      if (other?.kind !== kind) return false
      if (value === other.value || kind === 'date' || kind === 'token')
        return kind !== 'text' || value === other.value
      return kind !== 'text' && this.#arePair(value, other.value)
    })
  }

  #arePair(left: string, right: string): boolean {
    const [forward, backward] = [`left ${left}`, `right ${right}`]
    const known = this.#pairs.get(forward)
    if (known !== undefined || this.#pairs.has(backward)) {
      return known === right && this.#pairs.get(backward) === left
    }
    this.#pairs.set(forward, right)
    this.#pairs.set(backward, left)
    return true
  }

  #isIgnored(path: Path): boolean {
    return this.#ignored.some(
      (pattern) =>
        matchesPath(pattern, path) || (path[0] === 'body' && matchesPath(pattern, path.slice(1))),
    )
  }

  #differ(path: Path, left: unknown, right: unknown): Difference {
    return { at: formatPath(path), left: excerpt(left), right: excerpt(right) }
  }
}

interface At {
  readonly path: Path
  /** The recorded value at this path. */
  readonly recorded: unknown
}

// The media type without parameters; other headers as they are.
function readHeader(headers: RecordedResponse['headers'], name: string): string | undefined {
  const value = headerOf(headers, name)
  return name === 'content-type' ? value?.split(';')[0]?.trim().toLowerCase() : value
}

interface BodyValue {
  readonly kind: 'json' | 'text'
  readonly value: unknown
}

// Text is compared by line.
function toValue(body: Body | undefined): BodyValue | undefined {
  if (body && 'json' in body) return { kind: 'json', value: body.json }
  return body && 'text' in body ? { kind: 'text', value: body.text.split('\n') } : undefined
}

// Masked parts of a multipart body may differ.
function areSameBytes(left: Body, right: Body, recorded: Body | undefined): boolean {
  if (!('base64' in left) || !('base64' in right)) return false
  if (left.base64 === right.base64) return true
  const before = recorded && 'base64' in recorded ? toText(recorded.base64) : ''
  if (before.search(placeholderPattern) < 0) return false
  return [left, right].every(
    ({ base64 }) => matchPlaceholders(before, toText(base64)) !== undefined,
  )
}

function toText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1')
}

function describeBody(body: Body): unknown {
  if ('json' in body) return body.json
  if ('text' in body) return body.text
  if (!('base64' in body)) return body
  const bytes = Buffer.from(body.base64, 'base64')
  return `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? ownValue(value, String(key)) : undefined
}

function ownValue(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

const maxExcerpt = 80

function excerpt(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > maxExcerpt ? `${text.slice(0, maxExcerpt - 1)}…` : text
}
