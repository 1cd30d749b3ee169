import { randomBytes } from 'node:crypto'
import { trusted, Types } from 'mongoose'
import { type KeyRing } from './keys.ts'
import { createRefreshToken, isAuthentic, parseRefreshToken } from './refresh-token.ts'
import { type RevokedReason, type SessionDocument, type SessionModel } from './session-model.ts'
import { createSingleFlight } from './single-flight.ts'

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

/** Where a login comes from. */
export interface SessionOrigin {
  /** Address of the client. */
  address: string | undefined
  /** Its `User-Agent`. */
  device: string | undefined
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
}

/** How the presentation of an authentic refresh token ends. */
export type Rotation =
  | { readonly status: 'rotated' | 'reissued'; readonly session: IssuedSession }
  | { readonly status: 'revoked' | 'expired' | 'ahead' | 'overlap' }
  | { readonly status: 'reused'; readonly detectedNow: boolean }

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

/** The request that presents a refresh token. */
export interface RotationRequest {
  /** Milliseconds since the epoch at which it reached this process. */
  arrivedAt: number
  /** Address of the client. */
  address: string | undefined
}

const majority = { writeConcern: { w: 'majority' as const } }

/**
 * Makes the store of sessions: one document per login, refreshed by one conditional update, so
 * that concurrent requests, also of several processes, end in exactly one state without a lock.
 * @param model - the documents
 * @param settings - keys and times
 * @returns the store
 */
export function createSessionStore(model: SessionModel, settings: SessionSettings): SessionStore {
  const reads = createSingleFlight<SessionDocument | null>()
  const flights = createSingleFlight<Advance>()
  const context: Context = { model, settings }
  return {
    create: (userId, origin) => createSession(context, userId, origin),
    async recognise(token) {
      const parts = parseRefreshToken(token)
      if (!parts) return undefined
      // What is read here never changes in a session, so requests in flight may share it.
      const session = await reads.run(parts.sessionId, () => find(model, parts.sessionId))
      return session && isAuthentic(parts, session.salt, settings.keys.refresh)
        ? { ...parts, userId: session.userId, absoluteExpiresAt: session.absoluteExpiresAt }
        : undefined
    },
    async rotate(token, request) {
      // Identical tokens in flight share one update: two tabs of one browser both get its result.
      const key = `${token.sessionId}.${token.generation}`
      const { rotated, found } = await flights.run(key, async () => {
        const hit = await advance(context, token, request)
        // Read behind the miss: what was read before it could make an overlap look like a replay.
        return hit ? { rotated: hit } : { found: await find(model, token.sessionId) }
      })
      if (rotated) return { status: 'rotated', session: toIssued(context, rotated) }
      return explainMiss(context, { token, session: found, arrivedAt: request.arrivedAt })
    },
    async isLive(sessionId, userId) {
      const session = await model
        .findById(sessionId, { userId: 1, revokedAt: 1, absoluteExpiresAt: 1 })
        .lean()
      if (!session || session.userId !== userId || session.revokedAt) return false
      return session.absoluteExpiresAt.getTime() > settings.now()
    },
    list: (userId) => model.find(toLive(context, { userId })).sort({ createdAt: -1 }).lean(),
    async revoke({ sessionId, userId }, reason) {
      const filter = toLive(context, { _id: sessionId, userId })
      return (await revoke(context, filter, reason)) > 0
    },
    revokeAll: (userId, { reason, except }) => {
      const others = except === undefined ? {} : { _id: trusted({ $ne: except }) }
      return revoke(context, { userId, revokedAt: null, ...others }, reason)
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}

interface Advance {
  rotated?: SessionDocument | null
  found?: SessionDocument | null
}

function find(model: SessionModel, sessionId: string): Promise<SessionDocument | null> {
  return model.findById(sessionId).lean().exec()
}

interface Context {
  model: SessionModel
  settings: SessionSettings
}

async function createSession(
  context: Context,
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

async function endOldest(context: Context, userId: string): Promise<void> {
  const beyond = await context.model
    .find(toLive(context, { userId }), { _id: 1 })
    .sort({ createdAt: -1, _id: -1 })
    .skip(context.settings.perUser)
    .lean()
  if (beyond.length === 0) return
  const ids = beyond.map(({ _id: id }) => id)
  await revoke(context, { _id: trusted({ $in: ids }), revokedAt: null }, 'limit')
}

// Expiry is in the filter: the TTL index only cleans up, a minute late or more.
function advance(
  { model, settings }: Context,
  token: PresentedToken,
  request: RotationRequest,
): Promise<SessionDocument | null> {
  const now = settings.now()
  const { sessionId, generation, absoluteExpiresAt } = token
  const idleExpiresAt = Math.min(now + settings.idleLifetime, absoluteExpiresAt.getTime())
  return model
    .findOneAndUpdate(
      {
        _id: sessionId,
        gen: generation,
        revokedAt: null,
        idleExpiresAt: trusted({ $gt: new Date(now) }),
        absoluteExpiresAt: trusted({ $gt: new Date(now) }),
      },
      {
        $inc: { gen: 1 },
        $set: {
          rotatedAt: new Date(now),
          idleExpiresAt: new Date(idleExpiresAt),
          address: request.address ?? null,
        },
      },
      { ...majority, returnDocument: 'after' },
    )
    .lean()
    .exec()
}

interface Miss {
  token: PresentedToken
  session: SessionDocument | null | undefined
  arrivedAt: number
}

async function explainMiss(
  context: Context,
  { token, session, arrivedAt }: Miss,
): Promise<Rotation> {
  const { settings } = context
  const now = settings.now()
  if (!session || session.revokedAt) return { status: 'revoked' }
  if (Math.min(session.idleExpiresAt.getTime(), session.absoluteExpiresAt.getTime()) <= now) {
    return { status: 'expired' }
  }
  // The database lost a write (failover without majority): no theft.
  if (token.generation > session.gen) return { status: 'ahead' }
  if (token.generation === session.gen - 1 && session.rotatedAt) {
    const rotatedAt = session.rotatedAt.getTime()
    if (arrivedAt <= rotatedAt + settings.overlapSkew) return { status: 'overlap' }
    if (settings.refreshLeeway > 0 && now <= rotatedAt + settings.refreshLeeway) {
      return { status: 'reissued', session: toIssued(context, session) }
    }
  }
  const ended = await revoke(context, { _id: token.sessionId, revokedAt: null }, 'reuse')
  return { status: 'reused', detectedNow: ended > 0 }
}

async function revoke(
  { model, settings }: Context,
  filter: Record<string, unknown>,
  reason: RevokedReason,
): Promise<number> {
  const change = { $set: { revokedAt: new Date(settings.now()), revokedReason: reason } }
  const { modifiedCount } = await model.updateMany(filter, change, majority)
  return modifiedCount
}

function toLive<T extends object>({ settings }: Context, filter: T): T & Record<string, unknown> {
  const later = trusted({ $gt: new Date(settings.now()) })
  return { ...filter, revokedAt: null, idleExpiresAt: later, absoluteExpiresAt: later }
}

function toIssued(
  { settings }: Context,
  { _id: id, userId, gen, salt }: Pick<SessionDocument, '_id' | 'userId' | 'gen' | 'salt'>,
): IssuedSession {
  const sessionId = String(id)
  const source = { sessionId, generation: gen, salt }
  return {
    sessionId,
    userId,
    refreshToken: createRefreshToken(source, settings.keys.refresh[0]),
  }
}
