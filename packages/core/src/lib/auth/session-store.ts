import { randomBytes } from 'node:crypto'
import { isObjectIdOrHexString, trusted, Types } from 'mongoose'
import { batchReads } from './batched-reads.ts'
import { isAuthentic, parseRefreshToken } from './refresh-token.ts'
import {
  findSession,
  type IssuedSession,
  majority,
  type PresentedToken,
  revokeSessions,
  type SessionContext,
  type SessionSettings,
  toIssued,
} from './session-documents.ts'
import { type RevokedReason, type SessionDocument, type SessionModel } from './session-model.ts'
import { createRotation, type Rotation, type RotationRequest } from './session-rotation.ts'
import { createSingleFlight } from './single-flight.ts'

/** Where a login comes from. */
export interface SessionOrigin {
  /** Address of the client. */
  address: string | undefined
  /** Its `User-Agent`. */
  device: string | undefined
}

/** The sessions of all users. */
export interface SessionStore {
  /** Opens a session; the oldest ones beyond the limit end. */
  create(userId: string, origin: SessionOrigin): Promise<IssuedSession>
  /** Recognises a refresh token; undefined when it is not ours. Changes nothing. */
  recognise(token: string): Promise<PresentedToken | undefined>
  /** Refreshes: the state machine. `arrivedAt` is when the request reached this process. */
  rotate(token: PresentedToken, request: RotationRequest): Promise<Rotation>
  /** Whether access tokens of the session are still good. */
  isLive(sessionId: string, userId: string): Promise<boolean>
  /** The live sessions of a user, the newest first. */
  list(userId: string): Promise<SessionDocument[]>
  /** Ends one session of a user; false when there is no such live one. */
  revoke(session: { sessionId: string; userId: string }, reason: RevokedReason): Promise<boolean>
  /** Ends the sessions of a user, but one if it is named; says how many. */
  revokeAll(
    userId: string,
    options: { reason: RevokedReason; except?: string | undefined },
  ): Promise<number>
  /** Removes all sessions of a user that is gone. */
  removeAll(userId: string): Promise<void>
}

/**
 * Makes the store of sessions: one document per login, refreshed by one conditional update, so
 * that concurrent requests, also of several processes, end in exactly one state without a lock.
 * @param model - the documents
 * @param settings - keys and times
 * @returns the store
 */
export function createSessionStore(model: SessionModel, settings: SessionSettings): SessionStore {
  const reads = createSingleFlight<SessionDocument | null>()
  const readState = batchReads((ids) => readStates(model, ids))
  const context: SessionContext = { model, settings }
  const rotate = createRotation(context)
  return {
    create: (userId, origin) => createSession(context, userId, origin),
    async recognise(token) {
      const parts = parseRefreshToken(token)
      if (!parts) return undefined
      // But for the generation, what is read here never changes; and requests that share a read
      // are in flight together, which is what the generation is asked for.
      const session = await reads.run(parts.sessionId, () => findSession(model, parts.sessionId))
      if (!session || !isAuthentic(parts, session.salt, settings.keys.refresh)) return undefined
      const { userId, absoluteExpiresAt, gen } = session
      return { ...parts, userId, absoluteExpiresAt, wasCurrent: gen === parts.generation }
    },
    rotate,
    async isLive(sessionId, userId) {
      if (!isObjectIdOrHexString(sessionId)) return false
      const session = await readState(sessionId.toLowerCase())
      if (!session || session.userId !== userId || session.revokedAt) return false
      return session.absoluteExpiresAt.getTime() > settings.now()
    },
    list: (userId) => model.find(toLive(context, { userId })).sort({ createdAt: -1 }).lean(),
    async revoke({ sessionId, userId }, reason) {
      const filter = toLive(context, { _id: sessionId, userId })
      return (await revokeSessions(context, filter, reason)) > 0
    },
    revokeAll: (userId, { reason, except }) => {
      const others = except === undefined ? {} : { _id: trusted({ $ne: except }) }
      return revokeSessions(context, { userId, revokedAt: null, ...others }, reason)
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}

type SessionState = Pick<SessionDocument, 'userId' | 'revokedAt' | 'absoluteExpiresAt'>

async function readStates(
  model: SessionModel,
  ids: readonly string[],
): Promise<Map<string, SessionState>> {
  const fields = { userId: 1, revokedAt: 1, absoluteExpiresAt: 1 }
  const sessions = await model.find({ _id: trusted({ $in: ids }) }, fields).lean()
  return new Map(sessions.map(({ _id: id, ...state }) => [String(id), state]))
}

async function createSession(
  context: SessionContext,
  userId: string,
  origin: SessionOrigin,
): Promise<IssuedSession> {
  const { model, settings } = context
  const now = settings.now()
  const absoluteExpiresAt = now + settings.absoluteLifetime
  const session = {
    _id: new Types.ObjectId(),
    userId,
    gen: 0,
    salt: randomBytes(32).toString('base64url'),
    createdAt: new Date(now),
    idleExpiresAt: new Date(Math.min(now + settings.idleLifetime, absoluteExpiresAt)),
    absoluteExpiresAt: new Date(absoluteExpiresAt),
    address: origin.address ?? null,
    device: origin.device?.slice(0, 256) ?? null,
  }
  await model.insertOne(session, { w: 'majority' })
  await endOldest(context, userId)
  return toIssued(context, session)
}

async function endOldest(context: SessionContext, userId: string): Promise<void> {
  const beyond = await context.model
    .find(toLive(context, { userId }), { _id: 1 })
    .sort({ createdAt: -1, _id: -1 })
    .skip(context.settings.perUser)
    .lean()
  if (beyond.length === 0) return
  const ids = beyond.map(({ _id: id }) => id)
  await revokeSessions(context, { _id: trusted({ $in: ids }), revokedAt: null }, 'limit')
}

function toLive<T extends object>(
  { settings }: SessionContext,
  filter: T,
): T & Record<string, unknown> {
  const later = trusted({ $gt: new Date(settings.now()) })
  return { ...filter, revokedAt: null, idleExpiresAt: later, absoluteExpiresAt: later }
}
