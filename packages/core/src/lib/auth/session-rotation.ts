import { randomBytes } from 'node:crypto'
import { trusted } from 'mongoose'
import {
  findSession,
  type IssuedSession,
  majority,
  type PresentedToken,
  revokeSessions,
  type SessionContext,
  toIssued,
} from './session-documents.ts'
import { createRefreshOverlap } from './refresh-overlap.ts'
import { type SessionDocument } from './session-model.ts'
import { setBounded } from './set-bounded.ts'
import { createSingleFlight } from './single-flight.ts'

/** How the presentation of an authentic refresh token ends. */
export type Rotation =
  | { readonly status: 'rotated' | 'reissued'; readonly session: IssuedSession }
  | { readonly status: 'revoked' | 'expired' | 'ahead' | 'overlap' }
  | { readonly status: 'reused'; readonly detectedNow: boolean }

/** The request that presents a refresh token. */
export interface RotationRequest {
  /** Milliseconds since the epoch at which it reached this process. */
  arrivedAt: number
  /** Address of the client. */
  address: string | undefined
  /** Calls back once the answer has left; at once by default. */
  whenAnswered?: ((then: () => void) => void) | undefined
}

/** Refreshes a session. */
export type Rotate = (token: PresentedToken, request: RotationRequest) => Promise<Rotation>

type Outcome = { tookMs: number } & (
  | { rotated: SessionDocument; found?: undefined }
  | { rotated?: undefined; found: SessionDocument | null }
)

// As many answers of the database as may be outstanding or lost without a false alarm.
const mostUnanswered = 10_000

// Milliseconds for which an answer that has not left is waited for.
const longestAnswer = 1000

/**
 * Makes what refreshes sessions: one conditional update, and when it misses, the reason.
 * @param context - documents and settings
 * @returns the function
 */
export function createRotation(context: SessionContext): Rotate {
  const flights = createSingleFlight<Outcome>()
  const unanswered = new Map<string, string>()
  const overlap = createRefreshOverlap(context.settings.overlapSkew)

  // Nobody can know the new token before, however long a hook takes. But a client that does not read
  // its answer must not keep replays from being noticed.
  function noteAnswer(key: string, { whenAnswered }: RotationRequest): void {
    const { now } = context.settings
    overlap.noteEnd(key, whenAnswered ? now() + longestAnswer : now())
    whenAnswered?.(() => overlap.noteEnd(key, now()))
  }

  async function advance(token: PresentedToken, request: RotationRequest): Promise<Outcome> {
    const key = toKey(token)
    const attempt = unanswered.get(key) ?? randomBytes(9).toString('base64url')
    // Without an answer the update may have been done all the same; its token has reached nobody.
    setBounded(unanswered, [key, attempt], mostUnanswered)
    const begin = performance.now()
    const rotated = await update(context, token, { ...request, attempt })
    const tookMs = performance.now() - begin
    // Read behind the miss: what was read before it could make an overlap look like a replay.
    const found = rotated ?? (await findSession(context.model, token.sessionId))
    unanswered.delete(key)
    if (!found || !(rotated || isOwnWork(found, token, attempt))) return { found, tookMs }
    noteAnswer(key, request)
    return { rotated: found, tookMs }
  }

  return async (token, request) => {
    // Identical tokens in flight share one update: two tabs of one browser both get its result.
    const key = toKey(token)
    const { rotated, found, tookMs } = await flights.run(key, () => advance(token, request))
    if (rotated) return { status: 'rotated', session: toIssued(context, rotated) }
    const isOverlap = (rotatedAt: number): boolean =>
      overlap.includes({ key, rotatedAt }, { arrivedAt: request.arrivedAt, tookMs })
    return explainMiss(context, { token, session: found, isOverlap })
  }
}

function toKey({ sessionId, generation }: PresentedToken): string {
  return `${sessionId}.${generation}`
}

function isOwnWork(session: SessionDocument, token: PresentedToken, attempt: string): boolean {
  const isNext = session.gen === token.generation + 1
  return isNext && session.attempt === attempt && session.revokedAt === null
}

// Expiry is in the filter: the TTL index only cleans up, a minute late or more.
function update(
  { model, settings }: SessionContext,
  { sessionId, generation, absoluteExpiresAt }: PresentedToken,
  { attempt, address }: RotationRequest & { attempt: string },
): Promise<SessionDocument | null> {
  const now = settings.now()
  const idleExpiresAt = Math.min(now + settings.idleLifetime, absoluteExpiresAt.getTime())
  const later = trusted({ $gt: new Date(now) })
  return model
    .findOneAndUpdate(
      {
        _id: sessionId,
        gen: generation,
        revokedAt: null,
        idleExpiresAt: later,
        absoluteExpiresAt: later,
      },
      {
        $inc: { gen: 1 },
        $set: {
          rotatedAt: new Date(now),
          idleExpiresAt: new Date(idleExpiresAt),
          attempt,
          address: address ?? null,
        },
      },
      { ...majority, returnDocument: 'after' },
    )
    .lean()
    .exec()
}

interface Miss {
  token: PresentedToken
  session: SessionDocument | null
  /** Whether the request overlapped the refresh that began then. */
  isOverlap: (rotatedAt: number) => boolean
}

async function explainMiss(
  context: SessionContext,
  { token, session, isOverlap }: Miss,
): Promise<Rotation> {
  const { settings } = context
  const now = settings.now()
  if (!session || session.revokedAt) return { status: 'revoked' }
  if (Math.min(session.idleExpiresAt.getTime(), session.absoluteExpiresAt.getTime()) <= now) {
    return { status: 'expired' }
  }
  // The database lost a write (failover without majority): no theft.
  if (token.generation > session.gen) return { status: 'ahead' }
  // It was used up while this request was under way: no clock has to be asked.
  if (token.wasCurrent) return { status: 'overlap' }
  if (token.generation === session.gen - 1 && session.rotatedAt) {
    const rotatedAt = session.rotatedAt.getTime()
    if (isOverlap(rotatedAt)) return { status: 'overlap' }
    if (settings.refreshLeeway > 0 && now <= rotatedAt + settings.refreshLeeway) {
      return { status: 'reissued', session: toIssued(context, session) }
    }
  }
  const ended = await revokeSessions(context, { _id: token.sessionId, revokedAt: null }, 'reuse')
  return { status: 'reused', detectedNow: ended > 0 }
}
