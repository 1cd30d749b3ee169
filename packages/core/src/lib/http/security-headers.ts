import { validateHeaderValue } from 'node:http'
import helmet, { type HelmetOptions } from 'helmet'
import { deferHeaders, setDefaultCaching } from '../fast/deferred-headers.ts'
import { recordHeaders, runNow } from './record-headers.ts'
import { createStage, type Stage } from '../stage/stage.ts'

/** Options for {@link securityHeaders}. */
export interface SecurityHeadersOptions {
  /**
   * When `Strict-Transport-Security` is sent (RFC 6797): always, or only over TLS.
   * @default 'https'
   */
  hsts?: 'always' | 'https' | undefined
  /**
   * `Cross-Origin-Resource-Policy`: who may embed responses. An API with CORS needs `cross-origin`.
   * @default 'same-origin'
   */
  resourcePolicy?: 'same-origin' | 'same-site' | 'cross-origin' | undefined
  /**
   * `Cache-Control` of responses that do not set it themselves, as `express.static` does; false sends
   * none. Errors are always `no-store`.
   * @default 'no-store'
   */
  cacheControl?: string | false | undefined
  /**
   * Options of helmet that replace the framework's own, header by header.
   * @default {}
   */
  helmet?: HelmetOptions | undefined
}

const hstsName = 'Strict-Transport-Security'

const forAnApi: HelmetOptions = {
  // A response is data: it must not load, frame or submit anything.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
      'form-action': ["'none'"],
      sandbox: [],
    },
  },
  originAgentCluster: false,
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
  xDownloadOptions: false,
  xFrameOptions: { action: 'deny' },
  xPoweredBy: false,
  xXssProtection: false,
}

/**
 * Sets the security headers of helmet for an API, and `Cache-Control: no-store` on responses without
 * one. helmet runs once, when the stage is created; if one of its options is a function, on each request.
 * @param options - changes to the defaults
 * @returns the stage
 * @throws TypeError for a `cacheControl` that is not a header value
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): Stage {
  const { hsts = 'https', resourcePolicy = 'same-origin', cacheControl = 'no-store' } = options
  const caching = cacheControl === false ? undefined : cacheControl
  if (caching !== undefined) validateHeaderValue('Cache-Control', caching)
  const settings: HelmetOptions = Object.assign(
    {},
    forAnApi,
    { crossOriginResourcePolicy: { policy: resourcePolicy } },
    options.helmet,
  )
  const middleware = helmet(settings)
  if (hasFunction(options.helmet)) return runEachTime(middleware, hsts, caching)

  // helmet omits the usual space after each semicolon.
  const secure = recordHeaders(middleware).map((text) => text.replace(/;(?=\S)/g, '; '))
  const position = secure.indexOf(hstsName)
  const plain = position === -1 ? secure : secure.toSpliced(position, 2)
  return createStage((req, res) => {
    deferHeaders(res, hsts === 'always' || req.secure ? secure : plain)
    setDefaultCaching(res, caching)
  })
}

function runEachTime(
  middleware: ReturnType<typeof helmet>,
  hsts: 'always' | 'https',
  caching: string | undefined,
): Stage {
  return createStage((req, res) => {
    runNow(middleware, req, res)
    if (hsts !== 'always' && !req.secure) res.removeHeader(hstsName)
    setDefaultCaching(res, caching)
  })
}

function hasFunction(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((item) => hasFunction(item))
}
