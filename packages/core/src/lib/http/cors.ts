import corsPackage, { type CorsOptions as PackageOptions } from 'cors'
import { type Request, type Response } from 'express'
import { deferHeaders } from '../fast/deferred-headers.ts'
import { recordHeaders, runNow } from './record-headers.ts'
import { createStage, ended, type Stage, type StepResult } from '../stage/stage.ts'

/** Options for {@link cors}. */
export interface CorsOptions {
  /**
   * Origins that may read responses in a browser: texts such as `https://app.example.com`,
   * `https://*.example.com` for one more label, and `capacitor://localhost` of an application; anchored patterns, a
   * function, or `'*'` for a public API without credentials. None turns CORS off.
   * @default []
   */
  origins?: '*' | readonly (string | RegExp)[] | ((origin: string) => boolean) | undefined
  /**
   * Whether browsers may send cookies.
   * @default false; in `createApi` true with `auth.cookies.origins`
   */
  credentials?: boolean | undefined
  /**
   * Methods that a preflight allows.
   * @default ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
   */
  methods?: readonly string[] | undefined
  /**
   * Request headers that a preflight allows.
   * @default 'Authorization', 'Content-Type', the conditions If-Match and If-None-Match, 'Idempotency-Key',
   * 'Last-Event-ID', 'X-Request-Id', 'X-Requested-With' and, in `createApi`, the header of organizations
   */
  allowedHeaders?: readonly string[] | undefined
  /**
   * Response headers that scripts may read.
   * @default ['Location', 'ETag', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id']
   */
  exposedHeaders?: readonly string[] | undefined
  /**
   * Seconds for which a browser may cache the response to a preflight.
   * @default 600
   */
  maxAge?: number | undefined
}

/**
 * Responds to preflights and lets the listed origins read responses (Fetch standard, CORS protocol).
 * An origin is echoed only when it matches exactly; `Vary: Origin` is set on every response.
 * @param options - origins and headers
 * @returns the stage; without origins it does nothing
 * @throws TypeError for origins that would allow more than they name
 */
export function cors(options: CorsOptions = {}): Stage {
  const { credentials = false } = options
  requireSafeOrigins(options.origins ?? [], credentials)
  const origins = expandWildcards(options.origins ?? [])
  if (Array.isArray(origins) && origins.length === 0) return createStage(() => {})
  const middleware = corsPackage(toPackageOptions({ ...options, origins }))
  const run = (req: Request, res: Response): StepResult =>
    runNow(middleware, req, res) ? undefined : ended
  if (!isListOfTexts(origins)) {
    return createStage((req, res): StepResult => {
      if (isPreflight(req) || req.method !== 'OPTIONS') return run(req, res)
    })
  }
  const denied = recordHeaders(middleware)
  const allowed = new Map(origins.map((origin) => [origin, recordHeaders(middleware, { origin })]))
  return createStage((req, res): StepResult => {
    if (isPreflight(req)) return run(req, res)
    deferHeaders(res, allowed.get(req.headers.origin ?? '') ?? denied)
  })
}

// Each that a feature reads and that browsers do not send without asking.
export const defaultAllowedHeaders = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Request-Id',
  'X-Requested-With',
]

type Origins = NonNullable<CorsOptions['origins']>

// `https://*.example.com` as a pattern: one label of a host name, in lower case as browsers send it.
function expandWildcards(origins: Origins): Origins {
  if (!Array.isArray(origins)) return origins
  return origins.map((origin) => {
    if (typeof origin !== 'string' || !origin.includes('*')) return origin
    const escaped = origin.replaceAll(/[.+?^${}()|[\]\\/]/g, String.raw`\$&`)
    return new RegExp(`^${escaped.replace('*', '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?')}$`)
  })
}

function toPackageOptions(options: CorsOptions): PackageOptions {
  const {
    origins = [],
    credentials = false,
    methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders = defaultAllowedHeaders,
    exposedHeaders = [
      'Location',
      'ETag',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'X-Request-Id',
    ],
    maxAge = 600,
  } = options
  return {
    origin: toPackageOrigin(origins),
    credentials,
    methods: [...methods],
    allowedHeaders: [...allowedHeaders],
    exposedHeaders: [...exposedHeaders],
    maxAge,
  }
}

// When a function rejects an origin, the package turns CORS off and omits Vary; an empty list keeps
// Vary.
function toPackageOrigin(origins: NonNullable<CorsOptions['origins']>): PackageOptions['origin'] {
  if (typeof origins !== 'function') return origins === '*' ? '*' : [...origins]
  return (origin, callback) => {
    try {
      const allowed = origin !== undefined && origin !== 'null' && origins(origin)
      callback(null, allowed ? [origin] : [])
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), [])
    }
  }
}

function isPreflight(req: Request): boolean {
  return (
    req.method === 'OPTIONS' &&
    req.headers.origin !== undefined &&
    req.headers['access-control-request-method'] !== undefined
  )
}

function isListOfTexts(origins: CorsOptions['origins']): origins is readonly string[] {
  return Array.isArray(origins) && origins.every((origin) => typeof origin === 'string')
}

// Throws a TypeError for origins that would let in more than they say.
export function requireSafeOrigins(origins: unknown, credentials: boolean): void {
  if (typeof origins === 'function') return
  if (origins === '*') {
    if (!credentials) return
    throw new TypeError(
      "cors.origins '*' with credentials, which cookies need, would let every site act for your users. List the origins.",
    )
  }
  if (!Array.isArray(origins)) {
    throw new TypeError(
      "cors.origins must be a list such as ['https://app.example.com']: anything else would reflect every origin.",
    )
  }
  for (const [index, origin] of origins.entries()) {
    requireSafeOrigin(origin, `number ${index + 1} of ${origins.length}`)
  }
}

// A value of the environment can be a secret in the wrong place.
function requireSafeOrigin(origin: unknown, which: string): void {
  if (origin instanceof RegExp) {
    if (/^\^.*[^\\]\$$/s.test(origin.source) && !origin.flags.includes('m')) return
    throw new TypeError(
      `cors.origins: the pattern (${which}) must be anchored: /^https:\\/\\/[a-z]+\\.example\\.com$/.`,
    )
  }
  if (typeof origin === 'string' && isOrigin(origin)) return
  if (origin === '*') {
    throw new TypeError(
      "cors.origins: '*' cannot be one of several origins. For every origin write origins: '*', without a list.",
    )
  }
  if (typeof origin === 'string' && origin.includes('*')) {
    throw new TypeError(
      `cors.origins: the origin (${which}) has a * in another place than the first label of a domain: 'https://*.example.com'. Write a pattern: /^https:\\/\\/[a-z]+\\.example\\.com$/.`,
    )
  }
  throw new TypeError(
    `cors.origins: the text (${which}) is not an origin. Write scheme, host and port, nothing else, one per entry: 'https://app.example.com'.`,
  )
}

// The origin of an application that is not a web page, such as `capacitor://localhost`, has another scheme,
// for which URL knows no origin.
const appOrigin =
  /^(?!https?:|file:|data:|blob:|javascript:)[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+(?::\d{1,5})?$/

function isOrigin(text: string): boolean {
  if (appOrigin.test(text)) return true
  // A wildcard is one label below a domain of at least two.
  const plain = /^https?:\/\/\*\.[^.*]+\.[^*]+$/.test(text) ? text.replace('*', 'a') : text
  return !plain.includes('*') && URL.canParse(plain) && new URL(plain).origin === plain
}
