import { collectionOf, isIdName, toTokens } from './generated-values.ts'
import { isInQuery, matchPlaceholders, placeholderPattern, toVariable } from './placeholders.ts'
import {
  type Body,
  type Headers,
  isFormType,
  type RecordedRequest,
  type RecordedResponse,
} from './recording.ts'

type Environment = Readonly<Record<string, string | undefined>>

// What one service has in place of recorded ids, tokens and secrets, learned from its responses.
export class LiveValues {
  readonly #texts = new Map<string, string>()
  readonly #numbers = new Map<number, Map<string, number>>()
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  // Compares a recorded response with that of the service, and keeps what the service has generated.
  learn(recorded: RecordedResponse, live: RecordedResponse, path: string): void {
    this.#learnHeaders(recorded.headers, live.headers)
    const [before, after] = [recorded.body, live.body]
    if (before && after) this.#learnBody(before, after, collectionOf(path))
    if (before && after) this.#learnOnlyId(before, after)
  }

  // Bodies of other shapes have their ids at other places: the only new one of each is the same.
  #learnOnlyId(recorded: Body, live: Body): void {
    const taken = new Set(this.#texts.values())
    const [before = [], after = []] = [recorded, live].map((body) => [...listIds(body)])
    const own = before.filter((id) => !this.#texts.has(id))
    const others = after.filter((id) => !taken.has(id) && !before.includes(id))
    const [id, other] = [own[0], others[0]]
    if (own.length !== 1 || others.length !== 1 || !id || !other) return
    if (id.length === other.length && !after.includes(id)) this.#texts.set(id, other)
  }

  // The request as the service expects it.
  apply(request: RecordedRequest): RecordedRequest {
    const { body, headers, path } = request
    return {
      ...request,
      path: this.#applyPath(path),
      headers: headers.map(([name, value]) => [name, this.#texts.get(value) ?? this.#fill(value)]),
      body: body && this.#applyBody(body, headers),
    }
  }

  #learnHeaders(recorded: Headers, live: Headers): void {
    const used = new Set<number>()
    for (const [name, value] of recorded) {
      const lower = name.toLowerCase()
      const [key] = value.split('=')
      const index = live.findIndex(
        ([other, text], position) =>
          !used.has(position) &&
          other.toLowerCase() === lower &&
          (lower !== 'set-cookie' || text.startsWith(`${key}=`)),
      )
      const other = live[index]?.[1]
      if (other === undefined) continue
      used.add(index)
      if (lower === 'etag') this.#texts.set(value, other)
      else if (lower === 'location') this.#learnLocation(value, other)
      else if (lower === 'set-cookie')
        this.#learnText(value.split(';')[0] ?? '', other.split(';')[0] ?? '')
      else if (value.search(placeholderPattern) >= 0) this.#learnText(value, other)
    }
  }

  #learnLocation(recorded: string, live: string): void {
    this.#learnText(recorded, live)
    const [number, other] = [recorded, live].map((url) => /\/(\d+)$/.exec(url)?.[1])
    if (number && other) this.#learnNumber(Number(number), Number(other), collectionOf(recorded))
  }

  #learnBody(recorded: Body, live: Body, collection: string): void {
    if ('json' in recorded && 'json' in live) {
      this.#learnJson(recorded.json, live.json, { name: '', collection })
    } else if ('text' in recorded && 'text' in live) this.#learnText(recorded.text, live.text)
  }

  #learnJson(
    recorded: unknown,
    live: unknown,
    { collection, name }: { readonly name: string; readonly collection: string },
  ): void {
    if (isScalar(recorded) || isScalar(live)) {
      this.#learnScalar(
        recorded,
        live,
        idCollection(name) ?? (isIdName(name) ? collection : undefined),
      )
    } else if (Array.isArray(recorded) && Array.isArray(live)) {
      recorded.forEach((item, index) => this.#learnJson(item, live[index], { name, collection }))
    } else if (isObject(recorded) && isObject(live)) {
      for (const [key, value] of Object.entries(recorded)) {
        this.#learnJson(value, live[key], { name: key, collection })
      }
    }
  }

  #learnScalar(recorded: unknown, live: unknown, collection: string | undefined): void {
    if (typeof recorded === 'string' && isScalar(live)) this.#learnText(recorded, String(live))
    if (typeof recorded !== 'number' || typeof live !== 'number') return
    if (collection !== undefined) this.#learnNumber(recorded, live, collection)
  }

  #learnText(recorded: string, live: string): void {
    const secrets = recorded.match(placeholderPattern) ?? []
    if (secrets.length > 0) {
      const found = matchPlaceholders(recorded, live) ?? []
      found.forEach((value, index) => this.#texts.set(secrets[index] ?? '', value))
      return
    }
    if (recorded === live) return
    const [before, after] = [toTokens(recorded), toTokens(live)]
    if (before.length !== after.length) return
    before.forEach(({ kind, value }, index) => {
      const other = after[index]
      if (kind === 'text' || other?.kind !== kind || this.#texts.has(value)) return
      this.#texts.set(value, other.value)
    })
  }

  #learnNumber(recorded: number, live: number, collection: string): void {
    const byCollection = this.#numbers.get(recorded) ?? new Map<string, number>()
    if (!byCollection.has(collection)) byCollection.set(collection, live)
    this.#numbers.set(recorded, byCollection)
  }

  #numberFor(recorded: number, collection: string | undefined): number {
    const found = this.#numbers.get(recorded)
    if (!found) return recorded
    const exact = collection === undefined ? undefined : found.get(collection)
    const all = new Set(found.values())
    return exact ?? (all.size === 1 ? [...all][0] : undefined) ?? recorded
  }

  #fill(text: string, encode = (value: string): string => value): string {
    const filled = text.replaceAll(placeholderPattern, (placeholder, offset: number) => {
      const value = this.#texts.get(placeholder) ?? this.#env[toVariable(placeholder)]
      if (value === undefined) return placeholder
      return isInQuery(text.slice(0, offset)) ? encodeURIComponent(value) : encode(value)
    })
    return toTokens(filled)
      .map(({ kind, value }) => (kind === 'text' ? value : (this.#texts.get(value) ?? value)))
      .join('')
  }

  #applyPath(path: string): string {
    const [before = '', ...query] = path.split('?')
    const segments = before.split('/').map((segment, index, all) => {
      if (!/^\d+$/.test(segment)) return this.#fill(segment, encodeURIComponent)
      return String(this.#numberFor(Number(segment), all[index - 1]))
    })
    const pairs = query
      .join('?')
      .replace(/([^&=]+)=(\d+)(?=&|$)/g, (pair, name: string, value: string) =>
        isIdName(name) ? `${name}=${this.#numberFor(Number(value), idCollection(name))}` : pair,
      )
    return (
      segments.join('/') + (query.length === 0 ? '' : `?${this.#fill(pairs, encodeURIComponent)}`)
    )
  }

  #applyBody(body: Body, headers: Headers): Body {
    if ('json' in body) return { json: this.#applyJson(body.json, '') }
    if ('text' in body) {
      return { text: this.#fill(body.text, isFormType(headers) ? encodeURIComponent : undefined) }
    }
    if (!('base64' in body)) return body
    const text = Buffer.from(body.base64, 'base64').toString('latin1')
    const filled = text.replaceAll(placeholderPattern, (placeholder) =>
      Buffer.from(this.#fill(placeholder)).toString('latin1'),
    )
    return { base64: Buffer.from(filled, 'latin1').toString('base64') }
  }

  #applyJson(value: unknown, name: string): unknown {
    if (typeof value === 'string') {
      const filled = this.#fill(value)
      const isNumber = /^\{\{#\w+\}\}$/.test(value) && /^-?\d+(\.\d+)?$/.test(filled)
      return isNumber ? Number(filled) : filled
    }
    if (typeof value === 'number') {
      return isIdName(name) ? this.#numberFor(value, idCollection(name)) : value
    }
    if (Array.isArray(value)) return value.map((item) => this.#applyJson(item, name))
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, member]) => [
      key,
      this.#applyJson(member, key),
    ])
    return Object.fromEntries(entries)
  }
}

// `orderId` and `order_id` refer to `orders`, `id` to the document itself.
function idCollection(name: string): string | undefined {
  const base = name.replace(/(_id|Id)$|^_?id$/, '')
  return isIdName(name) && base !== '' ? `${base}s` : undefined
}

function listIds(body: Body): ReadonlySet<string> {
  if (!('json' in body)) return new Set()
  const ids = toTokens(JSON.stringify(body.json)).filter(({ kind }) => /^(id|uuid)$/.test(kind))
  return new Set(ids.map(({ value }) => value))
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
