import { type Response } from 'express'
import { z } from 'zod'

/** When a route was deprecated, when it may be removed, and what replaces it. */
export interface Deprecation {
  /**
   * Since when the route is deprecated, also a time in the future: the header `Deprecation` (RFC 9745). Text is a date, which
   * means its beginning in UTC, or a date and time (RFC 3339).
   */
  readonly since: string | Date
  /**
   * When the route may stop working: the header `Sunset` (RFC 8594). Not before `since`. The route is served until it is
   * removed; from this time on, the API logs a warning when it starts.
   * @default undefined, not decided
   */
  readonly sunset?: string | Date | undefined
  /**
   * Path or URL of what replaces it: a `Link` with `rel="successor-version"` (RFC 5829).
   * @default undefined
   */
  readonly successor?: string | undefined
  /**
   * Path or URL of a page that explains the change: a `Link` with `rel="deprecation"`, and with `rel="sunset"` if there is
   * a sunset.
   * @default undefined
   */
  readonly docs?: string | undefined
}

// How the responses and the document of a deprecated route announce it.
export interface DeprecationNotice {
  readonly headers: readonly (readonly [name: string, value: string | string[]])[]
  readonly sunset?: Date | undefined
  readonly description?: string | undefined
  /** The members of the operation in the OpenAPI document. */
  readonly members: Readonly<Record<string, unknown>>
}

interface Dates {
  readonly since: Date
  readonly sunset: Date | undefined
}

// Throws TypeError for a deprecation of the route `name` that is not valid.
export function toDeprecationNotice(
  deprecated: boolean | Deprecation | undefined,
  name: string,
): DeprecationNotice | undefined {
  if (deprecated === undefined || deprecated === false) return undefined
  if (deprecated === true) return { headers: [], members: { deprecated: true } }
  const dates = toDates(deprecated, name)
  const { since, sunset } = dates
  const links = toLinks(deprecated, name)
  const description = describe(deprecated, dates)
  return {
    headers: [
      // A date of structured fields (RFC 9651): seconds since 1970.
      ['Deprecation', `@${Math.floor(since.getTime() / 1000)}`],
      ...(sunset ? [['Sunset', sunset.toUTCString()] as const] : []),
      ...(links.length > 0 ? [['Link', links] as const] : []),
    ],
    sunset,
    description,
    members: {
      deprecated: true,
      'x-deprecation': {
        description,
        since: toText(since),
        ...(deprecated.successor !== undefined && { successor: deprecated.successor }),
        ...(deprecated.docs !== undefined && { docs: deprecated.docs }),
      },
      ...(sunset && { 'x-sunset': toText(sunset) }),
    },
  }
}

interface DeprecatedRoute {
  readonly method: string
  readonly path: string
  readonly deprecated?: boolean | Deprecation | undefined
}

const exposed = 'Access-Control-Expose-Headers'

export function announceDeprecation(res: Response, { headers }: DeprecationNotice): void {
  if (headers.length === 0) return
  for (const [name, value] of headers) res.setHeader(name, value)
  // Other routes need not expose these.
  const others = res.getHeader(exposed)
  if (typeof others !== 'string' || others === '*') return
  res.setHeader(exposed, [others, ...headers.map(([name]) => name)].join(','))
}

// Warns of a route that is served after its sunset.
export function describePastSunset(
  { deprecated, method, path }: DeprecatedRoute,
  prefix: string,
): string | undefined {
  const name = `${method.toUpperCase()} ${prefix}${path === '/' ? '' : path}`
  const { sunset } = toDeprecationNotice(deprecated, name) ?? {}
  if (!sunset || sunset.getTime() > Date.now()) return undefined
  return `${name} is served after its sunset of ${toText(sunset)}. Remove the route when clients no longer call it, or set a later sunset.`
}

function toDates(deprecation: Deprecation, name: string): Dates {
  const since = toDate(deprecation.since, `deprecated.since of ${name}`)
  const sunset =
    deprecation.sunset === undefined
      ? undefined
      : toDate(deprecation.sunset, `deprecated.sunset of ${name}`)
  if (sunset && sunset < since) {
    throw new TypeError(
      `The sunset of ${name}, ${toText(sunset)}, is before ${toText(since)}, since when it is deprecated. Set a later sunset.`,
    )
  }
  return { since, sunset }
}

const dateTime = z.iso.datetime({ offset: true })

function toDate(value: unknown, what: string): Date {
  const isText = z.iso.date().safeParse(value).success || dateTime.safeParse(value).success
  const date = value instanceof Date ? value : new Date(isText ? String(value) : Number.NaN)
  if (Number.isNaN(date.getTime())) {
    throw new TypeError(
      `${what} is not a date. Write a date such as '2026-12-31', or a date and time such as '2026-12-31T12:00:00Z'.`,
    )
  }
  return date
}

function toLinks({ docs, successor, sunset }: Deprecation, name: string): string[] {
  const links = [
    [successor, 'successor-version', 'successor'],
    [docs, 'deprecation', 'docs'],
    [sunset === undefined ? undefined : docs, 'sunset', 'docs'],
  ] as const
  return links.flatMap(([target, relation, option]) => {
    if (target === undefined) return []
    requireTarget(target, `deprecated.${option} of ${name}`)
    return [`<${target}>; rel="${relation}"`]
  })
}

// Part of a header: no other characters than those of a URI (RFC 3986).
function requireTarget(target: string, what: string): void {
  const isUri = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(target)
  if (isUri && (/^\/(?!\/)/.test(target) || /^https?:\/\/[^/]/.test(target))) return
  throw new TypeError(
    `${what} is not a path or URL. Write '/api/v2/posts' or 'https://example.com/changes'.`,
  )
}

function describe({ docs, successor }: Deprecation, { since, sunset }: Dates): string {
  const sentences = [
    `Deprecated since ${toText(since)}.`,
    sunset && `May stop working on ${toText(sunset)}.`,
    successor !== undefined && `Use ${successor} instead.`,
    docs !== undefined && `See ${docs}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

// The date, or the date and time when it is not the beginning of a day in UTC.
function toText(date: Date): string {
  return date.toISOString().replace('T00:00:00.000Z', '')
}
