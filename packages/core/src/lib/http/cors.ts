import corsPackage, { type CorsOptions as PackageOptions } from 'cors'
import { type Request, type Response } from 'express'
import { deferHeaders } from '../fast/deferred-headers.ts'
import { recordHeaders, runNow } from './record-headers.ts'
import { createStage, ended, type Stage, type StepResult } from '../stage/stage.ts'

/** Options for {@link cors}. */
export interface CorsOptions {
  /**
   * Origins that may read responses in a browser: texts such as `https://app.example.com`, anchored
   * patterns, a function, or `'*'` for a public API without credentials. None turns CORS off.
   * @default []
   */
  origins?: '*' | readonly (string | RegExp)[] | ((origin: string) => boolean) | undefined
  /**
   * Whether browsers may send cookies; the framework's own authentication needs none.
   * @default false
   */
  credentials?: boolean | undefined
  /**
   * Methods that a preflight allows.
   * @default ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
   */
  methods?: readonly string[] | undefined
  /**
   * Request headers that a preflight allows.
   * @default ['Authorization', 'Content-Type', 'If-Match', 'X-Request-Id']
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
  const { origins = [], credentials = false } = options
  requireSafeOrigins(origins, credentials)
  if (Array.isArray(origins) && origins.length === 0) return createStage(() => {})
  const middleware = corsPackage(toPackageOptions(options))
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

export const defaultAllowedHeaders = ['Authorization', 'Content-Type', 'If-Match', 'X-Request-Id']

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
      "cors.origins '*' with credentials would let every site act for your users. List the origins.",
    )
  }
  if (!Array.isArray(origins)) {
    throw new TypeError(
      "cors.origins must be a list such as ['https://app.example.com']: anything else would reflect every origin.",
    )
  }
  for (const origin of origins) requireSafeOrigin(origin)
}

function requireSafeOrigin(origin: unknown): void {
  if (origin instanceof RegExp) {
    if (/^\^.*[^\\]\$$/s.test(origin.source) && !origin.flags.includes('m')) return
    throw new TypeError(
      `cors.origins: the pattern ${String(origin)} must be anchored: /^https:\\/\\/[a-z]+\\.example\\.com$/.`,
    )
  }
  if (typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin)
    return
  throw new TypeError(
    `cors.origins: ${JSON.stringify(origin)} is not an origin. Write scheme, host and port, nothing else, one per entry: 'https://app.example.com'.`,
  )
}
