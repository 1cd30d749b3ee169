import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type SessionDocument } from './session-model.ts'

/** A session and the token that refreshes it. */
export interface IssuedSession {
  readonly sessionId: string
  readonly userId: string
  readonly refreshToken: string
  /** Id of the access token that is issued with it. */
  readonly accessTokenId: string
  /** Time of the login or refresh that it results from. */
  readonly issuedAt: Date
  /** Time of the last proof of identity. */
  readonly authenticatedAt: Date
  readonly multiFactor: boolean
}

/** An authentic refresh token, and the session that it belongs to. */
export interface PresentedToken {
  readonly sessionId: string
  readonly userId: string
  readonly generation: number
  readonly absoluteExpiresAt: Date
  /** Whether it was the current one when it was recognised. */
  readonly wasCurrent: boolean
  /** Whether its session had been revoked when it was recognised. */
  readonly wasRevoked: boolean
}

// What a refresh token contains. It proves nothing until its MAC is checked.
export interface RefreshTokenParts {
  readonly sessionId: string
  readonly generation: number
  /** base64url */
  readonly mac: string
}

const shape = /^rt1\.([0-9a-f]{24})\.(0|[1-9]\d{0,8})\.([\w-]{43})$/

// Undefined when the token has another shape (an access token has).
export function parseRefreshToken(token: string): RefreshTokenParts | undefined {
  const [, sessionId, generation, mac] = shape.exec(token) ?? []
  if (sessionId === undefined || generation === undefined || mac === undefined) return undefined
  return { sessionId, generation: Number(generation), mac }
}

// The token of the current generation of a session. The same input gives the same token, so nothing
// that could be presented has to be stored, and a response that was lost can be given again.
export function issueRefreshToken(
  session: Pick<
    SessionDocument,
    | '_id'
    | 'userId'
    | 'gen'
    | 'salt'
    | 'rotatedAt'
    | 'createdAt'
    | 'authenticatedAt'
    | 'multiFactor'
  >,
  key: KeyObject,
): IssuedSession {
  const { _id: id, userId, gen, salt } = session
  const sessionId = String(id)
  const payload = toPayload(sessionId, gen)
  return {
    sessionId,
    userId,
    refreshToken: `${payload}.${toMac(payload, salt, key)}`,
    accessTokenId: toMac(`at.${payload}`, salt, key).slice(0, 22),
    issuedAt: session.rotatedAt ?? session.createdAt,
    authenticatedAt: session.authenticatedAt ?? session.createdAt,
    multiFactor: session.multiFactor ?? false,
  }
}

// Whether one of the keys created the token, compared in constant time. This must be checked before
// the generation is looked at: otherwise anyone who knows the id of a session could have it revoked.
export function isAuthentic(
  { sessionId, generation, mac }: RefreshTokenParts,
  salt: string,
  keys: readonly KeyObject[],
): boolean {
  const presented = Buffer.from(mac)
  return keys.some((key) =>
    timingSafeEqual(presented, Buffer.from(toMac(toPayload(sessionId, generation), salt, key))),
  )
}

function toPayload(sessionId: string, generation: number): string {
  return `rt1.${sessionId}.${generation}`
}

function toMac(payload: string, salt: string, key: KeyObject): string {
  return createHmac('sha256', key).update(`${payload}.${salt}`).digest('base64url')
}
