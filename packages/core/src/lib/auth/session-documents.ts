import { type KeyRing } from './keys.ts'
import { createRefreshToken } from './refresh-token.ts'
import { type RevokedReason, type SessionDocument, type SessionModel } from './session-model.ts'

/** Settings of sessions; all times in milliseconds. */
export interface SessionSettings {
  /** HMAC keys of refresh tokens. */
  keys: Pick<KeyRing, 'refresh'>
  /** How long a session lives without being refreshed. */
  idleLifetime: number
  /** How long a session lives in any case. */
  absoluteLifetime: number
  /** How long the direct predecessor of the current token may be presented again. */
  refreshLeeway: number
  /** By how much the clocks of the hosts may differ. */
  overlapSkew: number
  /** Live sessions of one user. */
  perUser: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A session and the token that refreshes it. */
export interface IssuedSession {
  readonly sessionId: string
  readonly userId: string
  readonly refreshToken: string
}

/** A refresh token that we made, and the session it was made for. */
export interface PresentedToken {
  readonly sessionId: string
  readonly userId: string
  readonly generation: number
  readonly absoluteExpiresAt: Date
  /** Whether it was the current one when it was recognised. */
  readonly wasCurrent: boolean
}

/** What works on sessions is given. */
export interface SessionContext {
  model: SessionModel
  settings: SessionSettings
}

/** What is written about sessions survives the loss of a server. */
export const majority = { writeConcern: { w: 'majority' as const } }

/**
 * Reads a session.
 * @param model - the documents
 * @param sessionId - its id
 * @returns the session, or null
 */
export function findSession(
  model: SessionModel,
  sessionId: string,
): Promise<SessionDocument | null> {
  return model.findById(sessionId).lean().exec()
}

/**
 * Ends sessions.
 * @param context - documents and settings
 * @param filter - which
 * @param reason - why
 * @returns how many ended
 */
export async function revokeSessions(
  context: SessionContext,
  filter: Record<string, unknown>,
  reason: RevokedReason,
): Promise<number> {
  const { model, settings } = context
  const change = { $set: { revokedAt: new Date(settings.now()), revokedReason: reason } }
  const { modifiedCount } = await model.updateMany(filter, change, majority)
  return modifiedCount
}

/**
 * Makes the token of the generation that a session has.
 * @param context - documents and settings
 * @param session - the session
 * @returns the session with its token
 */
export function toIssued(
  context: SessionContext,
  session: Pick<SessionDocument, '_id' | 'userId' | 'gen' | 'salt'>,
): IssuedSession {
  const { _id: id, userId, gen, salt } = session
  const sessionId = String(id)
  const source = { sessionId, generation: gen, salt }
  return {
    sessionId,
    userId,
    refreshToken: createRefreshToken(source, context.settings.keys.refresh[0]),
  }
}
