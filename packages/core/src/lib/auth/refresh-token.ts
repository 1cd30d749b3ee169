import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What a refresh token names. It proves nothing until its MAC is checked. */
export interface RefreshTokenParts {
  /** Id of the session. */
  readonly sessionId: string
  /** How often the session had been refreshed when the token was made. */
  readonly generation: number
  /** Proof that the token is ours, base64url. */
  readonly mac: string
}

const shape = /^rt1\.([0-9a-f]{24})\.(0|[1-9]\d{0,8})\.([\w-]{43})$/

/**
 * Takes a refresh token apart.
 * @param token - as it came
 * @returns its parts, or undefined when it has another shape (an access token has)
 */
export function parseRefreshToken(token: string): RefreshTokenParts | undefined {
  const [, sessionId, generation, mac] = shape.exec(token) ?? []
  if (sessionId === undefined || generation === undefined || mac === undefined) return undefined
  return { sessionId, generation: Number(generation), mac }
}

/** One generation of one session. */
export interface RefreshTokenSource {
  /** Id of the session. */
  readonly sessionId: string
  /** Generation the token is for. */
  readonly generation: number
  /** Random text of the session; the database alone cannot make a token, the key alone neither. */
  readonly salt: string
}

/**
 * Makes the refresh token of one generation; the same input gives the same token, so nothing
 * that could be presented has to be stored.
 * @param source - session, generation and salt
 * @param key - HMAC key of refresh tokens
 * @returns the token
 */
export function createRefreshToken(source: RefreshTokenSource, key: KeyObject): string {
  return `rt1.${source.sessionId}.${source.generation}.${toMac(source, key)}`
}

/**
 * Whether a token was made by us. Asked before anything is concluded from its generation:
 * otherwise whoever knows a session's id could have it revoked.
 * @param parts - of the token
 * @param salt - of the session it names
 * @param keys - HMAC keys of refresh tokens
 * @returns true when one of the keys made it; compared in constant time
 */
export function isAuthentic(
  parts: RefreshTokenParts,
  salt: string,
  keys: readonly KeyObject[],
): boolean {
  const given = Buffer.from(parts.mac)
  return keys.some((key) => timingSafeEqual(given, Buffer.from(toMac({ ...parts, salt }, key))))
}

function toMac({ sessionId, generation, salt }: RefreshTokenSource, key: KeyObject): string {
  return createHmac('sha256', key)
    .update(`rt1.${sessionId}.${generation}.${salt}`)
    .digest('base64url')
}
