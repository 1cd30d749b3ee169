import { randomBytes } from 'node:crypto'
import { isObjectIdOrHexString, trusted, Types } from 'mongoose'
import { majority } from '../../database/write-concern.ts'
import {
  isAuthentic,
  type IssuedSession,
  issueRefreshToken,
  parseRefreshToken,
  type PresentedToken,
} from './refresh-token.ts'
import {
  type RevokedReason,
  revokeSessions,
  type SessionDocument,
  type SessionModel,
  type SessionSettings,
} from './session-model.ts'
import { createRotation, type Rotation, type RotationRequest } from './session-rotation.ts'
import { batchReads } from '../storage/shared-work.ts'

/** The client of a login. */
export interface SessionOrigin {
  /** Address of the client. */
  address: string | undefined
  /** Its `User-Agent`. */
  device: string | undefined
  /**
   * Whether the login is a proof of the identity, for routes with `fresh`.
   * @default true
   */
  isProof?: boolean
  /**
   * Whether more than one factor was proved.
   * @default false
   */
  multiFactor?: boolean
}

/** A session whose access tokens are accepted. */
export interface LiveSession {
  /** Time of the last proof of identity. */
  authenticatedAt: Date
  multiFactor: boolean
}

/** The sessions of all users. */
export interface SessionStore {
  /** Opens a session; the oldest ones beyond the maximum per user are revoked. */
  create(userId: string, origin: SessionOrigin): Promise<IssuedSession>
  /** Recognises a refresh token without changing anything; undefined when it is not authentic. */
  recognise(token: string): Promise<PresentedToken | undefined>
  /** Refreshes a session: the state machine. */
  rotate(token: PresentedToken, request: RotationRequest): Promise<Rotation>
  /**
   * Issues new tokens for a live session of a user, whose older refresh tokens are rejected from then on, and end
   * nothing; undefined when there is none.
   */
  renew(session: { sessionId: string; userId: string }): Promise<IssuedSession | undefined>
  /** The session, if access tokens of it are still accepted. */
  findLive(sessionId: string, userId: string): Promise<LiveSession | undefined>
  /** Notes a proof of identity in a live session of a user; false when there is none. */
  noteProof(session: { sessionId: string; userId: string; multiFactor?: boolean }): Promise<boolean>
  /** Removes the proofs of identity from the sessions of a user: another one is required from now on. */
  removeProofs(userId: string): Promise<void>
  /** The live sessions of a user, the newest first. */
  list(userId: string): Promise<SessionDocument[]>
  /** Revokes one session of a user; false when there is no such live one. */
  revoke(session: { sessionId: string; userId: string }, reason: RevokedReason): Promise<boolean>
  /** Revokes the sessions of a user except `except`; returns how many were revoked. */
  revokeAll(
    userId: string,
    options: { reason: RevokedReason; except?: string | undefined },
  ): Promise<number>
  /** Removes all sessions of a user who was removed. */
  removeAll(userId: string): Promise<void>
}

// One document per login, refreshed by one conditional update, so that concurrent requests, also of
// several processes, result in exactly one state without a lock.
export function createSessionStore(model: SessionModel, settings: SessionSettings): SessionStore {
  const { now } = settings
  const readSession = batchReads((ids) => readSessions(model, ids))
  const readState = batchReads((ids) => readStates(model, ids))
  return {
    create: (userId, origin) => createSession(model, settings, userId, origin),
    async recognise(token) {
      const parts = parseRefreshToken(token)
      if (!parts) return undefined
      const session = await readSession(parts.sessionId)
      if (!session || !isAuthentic(parts, session.salt, settings.keys.refresh)) return undefined
      const { userId, absoluteExpiresAt, gen } = session
      const wasCurrent = gen === parts.generation
      return { ...parts, userId, absoluteExpiresAt, wasCurrent, wasRevoked: !!session.revokedAt }
    },
    rotate: createRotation(model, settings),
    renew: (session) => renewSession(model, settings, session),
    async findLive(sessionId, userId) {
      if (!isObjectIdOrHexString(sessionId)) return undefined
      const session = await readState(sessionId.toLowerCase())
      if (!session || session.userId !== userId || session.revokedAt) return undefined
      if (session.absoluteExpiresAt.getTime() <= now()) return undefined
      return {
        authenticatedAt: session.authenticatedAt ?? session.createdAt,
        multiFactor: session.multiFactor ?? false,
      }
    },
    async noteProof({ sessionId, userId, multiFactor }) {
      const filter = { _id: sessionId, userId, ...isLiveAt(now()) }
      const factors = multiFactor === true ? { multiFactor } : {}
      const change = { $set: { authenticatedAt: new Date(now()), ...factors } }
      return (await model.updateOne(filter, change, majority)).matchedCount > 0
    },
    async removeProofs(userId) {
      await model.updateMany({ userId }, { $set: { authenticatedAt: new Date(0) } }, majority)
    },
    list: (userId) =>
      model
        .find({ userId, ...isLiveAt(now()) })
        .sort({ createdAt: -1 })
        .lean(),
    async revoke({ sessionId, userId }, reason) {
      const filter = { _id: sessionId, userId, ...isLiveAt(now()) }
      return (await revokeSessions(model, filter, reason, now())) > 0
    },
    revokeAll: (userId, { reason, except }) => {
      const others = except === undefined ? {} : { _id: trusted({ $ne: except }) }
      return revokeSessions(model, { userId, revokedAt: null, ...others }, reason, now())
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}

async function renewSession(
  model: SessionModel,
  { keys, now }: SessionSettings,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string },
): Promise<IssuedSession | undefined> {
  const next = { $add: ['$gen', 1] }
  const session = await model
    .findOneAndUpdate(
      { _id: sessionId, userId, ...isLiveAt(now()) },
      [{ $set: { gen: next, renewedGen: next, rotatedAt: new Date(now()) } }],
      { ...majority, returnDocument: 'after', updatePipeline: true },
    )
    .lean()
  return session ? issueRefreshToken(session, keys.refresh[0]) : undefined
}

async function readSessions(
  model: SessionModel,
  ids: readonly string[],
): Promise<Map<string, SessionDocument>> {
  const sessions = await model.find({ _id: trusted({ $in: ids }) }).lean()
  return new Map(sessions.map((session) => [String(session['_id']), session]))
}

type SessionState = Pick<
  SessionDocument,
  'userId' | 'revokedAt' | 'absoluteExpiresAt' | 'authenticatedAt' | 'multiFactor' | 'createdAt'
>

async function readStates(
  model: SessionModel,
  ids: readonly string[],
): Promise<Map<string, SessionState>> {
  const fields = {
    userId: 1,
    revokedAt: 1,
    absoluteExpiresAt: 1,
    authenticatedAt: 1,
    multiFactor: 1,
    createdAt: 1,
  }
  const sessions = await model.find({ _id: trusted({ $in: ids }) }, fields).lean()
  return new Map(sessions.map(({ _id: id, ...state }) => [String(id), state]))
}

async function createSession(
  model: SessionModel,
  settings: SessionSettings,
  userId: string,
  origin: SessionOrigin,
): Promise<IssuedSession> {
  const now = settings.now()
  const absoluteExpiresAt = now + settings.refreshAbsoluteLifetime
  const session = {
    _id: new Types.ObjectId(),
    userId,
    gen: 0,
    salt: randomBytes(32).toString('base64url'),
    createdAt: new Date(now),
    authenticatedAt: new Date(origin.isProof === false ? 0 : now),
    multiFactor: origin.multiFactor === true,
    rotatedAt: null,
    idleExpiresAt: new Date(Math.min(now + settings.refreshIdleLifetime, absoluteExpiresAt)),
    absoluteExpiresAt: new Date(absoluteExpiresAt),
    address: origin.address ?? null,
    device: origin.device?.slice(0, 256) ?? null,
  }
  await model.insertOne(session, { w: 'majority' })
  await revokeOldest(model, settings, userId)
  return issueRefreshToken(session, settings.keys.refresh[0])
}

async function revokeOldest(
  model: SessionModel,
  { sessionsPerUser, now }: SessionSettings,
  userId: string,
): Promise<void> {
  const surplus = await model
    .find({ userId, ...isLiveAt(now()) }, { _id: 1 })
    .sort({ createdAt: -1, _id: -1 })
    .skip(sessionsPerUser)
    .lean()
  if (surplus.length === 0) return
  const ids = surplus.map(({ _id: id }) => id)
  await revokeSessions(model, { _id: trusted({ $in: ids }), revokedAt: null }, 'limit', now())
}

function isLiveAt(now: number): Record<string, unknown> {
  const later = trusted({ $gt: new Date(now) })
  return { revokedAt: null, idleExpiresAt: later, absoluteExpiresAt: later }
}
