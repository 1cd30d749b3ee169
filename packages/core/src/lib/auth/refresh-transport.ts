import { type Request, type RequestHandler, type Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { createStage } from '../pipeline/stage.ts'

/** Options for refresh tokens in a cookie. */
export interface CookieOptions {
  /**
   * Origins of front ends on other hosts that may use the cookie; that of the API itself always
   * may. Scheme, host and port, exactly: `https://app.example.com`.
   * @default []
   */
  origins?: readonly string[] | undefined
  /**
   * Name of the cookie; `__Host-` is put before it.
   * @default 'refresh'
   */
  name?: string | undefined
}

/** How refresh tokens come and go. */
export interface RefreshTransport {
  /** Whether they travel in bodies. */
  readonly inBody: boolean
  /** Stages that stand before the routes which take one. */
  readonly guards: readonly RequestHandler[]
  /** The token of a request; empty when there is none. */
  read(req: Request): string
  /** Hands a new token out; returns what the body says. */
  write<T extends { refreshToken: string }>(res: Response, grant: T): Partial<T>
  /** Takes the token away from the client. */
  clear(res: Response): void
}

/** A body that carries a refresh token. */
export const refreshBody = z.strictObject({
  refreshToken: z.string().max(512, 'must have at most 512 characters'),
})

/** Refresh tokens in JSON bodies. */
export const bodyTransport: RefreshTransport = {
  inBody: true,
  guards: [],
  read: (req) => refreshBody.parse(req.valid.body).refreshToken,
  write: (_res, grant) => grant,
  clear() {},
}

/**
 * Refresh tokens in a cookie that no script can read and no other site makes the browser send:
 * `__Host-`, HttpOnly, Secure, SameSite=Strict, and a check of the origin.
 * @param options - name and origins
 * @param maxAge - lifetime of the cookie in seconds
 * @returns the transport
 * @throws TypeError for an origin or a name that is none
 */
export function createCookieTransport(options: CookieOptions, maxAge: number): RefreshTransport {
  const name = `__Host-${requireName(options.name ?? 'refresh')}`
  const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'
  const origins = new Set((options.origins ?? []).map(requireOrigin))
  return {
    inBody: false,
    guards: [createStage((req) => requireOwnOrigin(req, origins))],
    read: (req) => readCookie(req.headers.cookie ?? '', name),
    write(res, { refreshToken, ...rest }) {
      res.append('Set-Cookie', `${name}=${refreshToken}; Max-Age=${maxAge}; ${attributes}`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rest is T without one property
      return rest as Partial<never>
    },
    clear: (res) => void res.append('Set-Cookie', `${name}=; Max-Age=0; ${attributes}`),
  }
}

/**
 * A browser names the origin of every POST that is not its own; what names none has to send a
 * header that a foreign page cannot send without being asked for by CORS.
 * @param req - the request
 * @param origins - those that are let in besides the API's own
 * @throws ApiError `forbidden`
 */
function requireOwnOrigin(req: Request, origins: ReadonlySet<string>): void {
  const { origin, host } = req.headers
  if (origin === undefined) {
    if (req.headers['x-requested-with'] !== undefined) return
  } else if (origins.has(origin) || origin === `${req.protocol}://${host}`) return
  throw new ApiError('forbidden', { detail: 'The origin of the request is not allowed.' })
}

function readCookie(header: string, name: string): string {
  for (const pair of header.split(';')) {
    const [key, value] = pair.split('=')
    if (key?.trim() === name) return value?.trim() ?? ''
  }
  return ''
}

function requireName(name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new TypeError('auth.cookies.name must be made of letters, digits, _ and -.')
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
