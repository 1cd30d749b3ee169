import helmet, { type HelmetOptions } from 'helmet'
import { deferHeaders } from '../fast/deferred-headers.ts'
import { recordHeaders, runNow } from './record-headers.ts'
import { createStage, type Stage } from '../kernel/stage.ts'

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
 * Sets the security headers of helmet for an API, and `Cache-Control: no-store`. helmet runs once,
 * when the stage is created; if one of its options is a function, on each request.
 * @param options - changes to the defaults
 * @returns the stage
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): Stage {
  const { hsts = 'https', resourcePolicy = 'same-origin' } = options
  const settings: HelmetOptions = Object.assign(
    {},
    forAnApi,
    { crossOriginResourcePolicy: { policy: resourcePolicy } },
    options.helmet,
  )
  const middleware = helmet(settings)
  if (hasFunction(options.helmet)) return runEachTime(middleware, hsts)

  const recorded = recordHeaders(middleware).map(withSpaces)
  const secure = [...recorded, 'Cache-Control', 'no-store']
  const position = secure.indexOf(hstsName)
  const plain = position === -1 ? secure : secure.toSpliced(position, 2)
  return createStage((req, res) => {
    deferHeaders(res, hsts === 'always' || req.secure ? secure : plain)
  })
}

function runEachTime(middleware: ReturnType<typeof helmet>, hsts: 'always' | 'https'): Stage {
  return createStage((req, res) => {
    runNow(middleware, req, res)
    if (hsts !== 'always' && !req.secure) res.removeHeader(hstsName)
    res.setHeader('Cache-Control', 'no-store')
  })
}

// helmet omits the usual space after each semicolon.
function withSpaces(text: string): string {
  return text.replace(/;(?=\S)/g, '; ')
}

function hasFunction(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((item) => hasFunction(item))
}
