import { parseCookie, stringifySetCookie } from 'cookie'
import { type Request, type RequestHandler, type Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../../errors/api-error.ts'
import { createStage } from '../../stage/stage.ts'

/** Options for refresh tokens in a cookie. */
export interface CookieOptions {
  /**
   * Origins of front ends on other hosts that may use the cookie; the origin of the API is always
   * allowed. Exactly scheme, host and port: `https://app.example.com`.
   * @default []
   */
  origins?: readonly string[] | undefined
  /**
   * Name of the cookie, after the prefix `__Host-` (RFC 6265bis section 4.1.3).
   * @default 'refresh'
   */
  name?: string | undefined
}

// How refresh tokens are sent and received.
export interface RefreshTransport {
  /** Whether they are in bodies. */
  readonly inBody: boolean
  /** Stages before the routes that read one. */
  readonly guards: readonly RequestHandler[]
  /** The token of a request; empty without one. */
  read(req: Request): string
  /** Sends a new token; returns the data for the body, which contains the token if `inBody`. */
  write<T extends { refreshToken: string }>(res: Response, grant: T): Omit<T, 'refreshToken'>
  /** Removes the token from the client. */
  clear(res: Response): void
}

export const refreshBody = z.strictObject({
  refreshToken: z.string().max(512, 'must have at most 512 characters'),
})

export const bodyTransport: RefreshTransport = {
  inBody: true,
  guards: [],
  read: (req) => refreshBody.parse(req.valid.body).refreshToken,
  write: (_res, grant) => grant,
  clear() {},
}

// Refresh tokens in a cookie that no script can read and no other site can make the browser send:
// `__Host-`, HttpOnly, Secure, SameSite=Strict, and a check of the origin. `maxAge` is in seconds.
// Throws TypeError for an invalid name or origin.
export function createCookieTransport(options: CookieOptions, maxAge: number): RefreshTransport {
  const name = `__Host-${requireName(options.name ?? 'refresh')}`
  const setCookie = (res: Response, value: string, seconds: number): void => {
    const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const
    res.append('Set-Cookie', stringifySetCookie({ name, value, maxAge: seconds, ...attributes }))
  }
  const origins = new Set((options.origins ?? []).map(requireOrigin))
  return {
    inBody: false,
    guards: [createStage((req) => requireOwnOrigin(req, origins))],
    read: (req) => parseCookie(req.headers.cookie ?? '')[name] ?? '',
    write(res, { refreshToken, ...rest }) {
      setCookie(res, refreshToken, maxAge)
      return rest
    },
    clear: (res) => setCookie(res, '', 0),
  }
}

// A browser sends the origin of every cross-origin POST; a request without one must have a header that a
// page of another origin cannot send without a CORS preflight. `origins` are allowed besides the API's own.
function requireOwnOrigin(req: Request, origins: ReadonlySet<string>): void {
  const { origin, host } = req.headers
  if (origin === undefined) {
    if (req.headers['x-requested-with'] !== undefined) return
  } else if (origins.has(origin) || origin === `${req.protocol}://${host}`) return
  throw new ApiError('forbidden', { detail: 'The origin of the request is not allowed.' })
}

function requireName(name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new TypeError('auth.cookies.name must consist of letters, digits, _ and -.')
  }
  return name
}

function requireOrigin(origin: string): string {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new TypeError(
      "auth.cookies.origins must hold origins such as 'https://app.example.com', without a path.",
    )
  }
  return origin
}
