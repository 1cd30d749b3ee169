import { randomBytes } from 'node:crypto'
import { trusted } from 'mongoose'
import { toNetwork } from '../../address/client-address.ts'
import { type Arrival, createRefreshOverlap } from './refresh-overlap.ts'
import { type IssuedSession, issueRefreshToken, type PresentedToken } from './refresh-token.ts'
import {
  findSession,
  revokeSessions,
  type SessionDocument,
  type SessionModel,
  type SessionSettings,
} from './session-model.ts'
import { majority } from '../../database/write-concern.ts'
import { setBounded } from '../storage/set-bounded.ts'
import { createSingleFlight } from '../storage/shared-work.ts'

/** The result of presenting an authentic refresh token. */
export type Rotation =
  | { readonly status: 'rotated'; readonly session: IssuedSession }
  | {
      readonly status: 'reissued'
      readonly session: IssuedSession
      readonly isOtherNetwork: boolean
    }
  | { readonly status: 'revoked' | 'expired' | 'ahead' | 'overlap' }
  | { readonly status: 'replayed'; readonly detectedNow: boolean }

/** The request that presents a refresh token. */
export interface RotationRequest {
  /** Milliseconds since the epoch at which it reached this process. */
  arrivedAt: number
  /** Address of the client. */
  address: string | undefined
  /**
   * Calls back once the response has been sent.
   * @default immediately
   */
  afterResponse?: ((then: () => void) => void) | undefined
}

export type Rotate = (token: PresentedToken, request: RotationRequest) => Promise<Rotation>

type Attempt = { tookMs: number } & (
  | { rotated: SessionDocument; found?: undefined }
  | { rotated?: undefined; found: SessionDocument | null }
)

// As many database responses may be outstanding or lost without a false alarm.
const maxPendingAttempts = 10_000

const maxResponseMs = 1000

// Refreshes a session by one conditional update, and finds the reason when it matches nothing.
export function createRotation(model: SessionModel, settings: SessionSettings): Rotate {
  const { now } = settings
  const flights = createSingleFlight<Attempt>()
  const pendingAttempts = new Map<string, string>()
  const overlap = createRefreshOverlap({
    skew: settings.overlapSkew,
    leeway: settings.refreshLeeway,
  })
  const issue = (session: SessionDocument): IssuedSession =>
    issueRefreshToken(session, settings.keys.refresh[0])

  // No client can know the new token before its response has left, however long a hook takes. But a
  // client that does not read the response must not prevent replays from being detected.
  function noteResponse(key: string, { afterResponse }: RotationRequest): void {
    overlap.noteEnd(key, afterResponse ? now() + maxResponseMs : now())
    afterResponse?.(() => overlap.noteEnd(key, now()))
  }

  async function advance(token: PresentedToken, request: RotationRequest): Promise<Attempt> {
    const key = toKey(token)
    const attempt = pendingAttempts.get(key) ?? randomBytes(9).toString('base64url')
    // An update without a response may have been done all the same; its token has reached no client.
    setBounded(pendingAttempts, key, attempt, maxPendingAttempts)
    const begin = performance.now()
    const rotated = await update(model, settings, token, { attempt, address: request.address })
    const tookMs = performance.now() - begin
    // Read after the miss: a session read before it could make an overlap look like a replay.
    const found = rotated ?? (await findSession(model, token.sessionId))
    pendingAttempts.delete(key)
    if (!found || !(rotated || isOwnWork(found, token, attempt))) return { found, tookMs }
    noteResponse(key, request)
    return { rotated: found, tookMs }
  }

  return async (token, request) => {
    // Concurrent requests with one token share the update: two tabs of one browser both get its result.
    const key = toKey(token)
    const { rotated, found, tookMs } = await flights(key, () => advance(token, request))
    if (rotated) return { status: 'rotated', session: issue(rotated) }
    if (!found) return { status: 'revoked' }
    const compare = (rotatedAt: number): Arrival =>
      overlap.compare({ key, rotatedAt }, { arrivedAt: request.arrivedAt, tookMs })
    const status = explainMiss(token, found, settings, compare)
    const isOtherNetwork = isElsewhere(found.address, request.address)
    const isReissued =
      status === 'reissued' ||
      (status === 'late' && (await noteReissue(model, found, isOtherNetwork)))
    if (isReissued) return { status: 'reissued', session: issue(found), isOtherNetwork }
    if (status !== 'late' && status !== 'replayed') return { status }
    const filter = { _id: token.sessionId, revokedAt: null }
    const ended = await revokeSessions(model, filter, 'reuse', now())
    return { status: 'replayed', detectedNow: ended > 0 }
  }
}

function toKey({ sessionId, generation }: PresentedToken): string {
  return `${sessionId}.${generation}`
}

function isOwnWork(session: SessionDocument, token: PresentedToken, attempt: string): boolean {
  const isNext = session.gen === token.generation + 1
  return isNext && session.attempt === attempt && session.revokedAt === null
}

// Expiry is part of the filter: the TTL index only cleans up, a minute late or more.
function update(
  model: SessionModel,
  settings: SessionSettings,
  { sessionId, generation, absoluteExpiresAt }: PresentedToken,
  { attempt, address }: { attempt: string; address: string | undefined },
): Promise<SessionDocument | null> {
  const now = settings.now()
  const idleExpiresAt = Math.min(now + settings.refreshIdleLifetime, absoluteExpiresAt.getTime())
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

// A client loses several responses in a row on a bad connection only; from another network it is rarely the same client.
const maxReissuesInRow = { sameNetwork: 3, otherNetwork: 1 }

// A thief could follow a session by asking in the leeway of each refresh, so the tokens of only some generations in a
// row are returned again. False when there were as many, and when the session has changed in the meantime.
async function noteReissue(
  model: SessionModel,
  session: SessionDocument,
  isOtherNetwork: boolean,
): Promise<boolean> {
  const { _id, gen, reissuedGen, reissuesInRow } = session
  const before = reissuedGen === gen - 1 ? reissuesInRow : 0
  const count = reissuedGen === gen ? reissuesInRow : before + 1
  const { otherNetwork, sameNetwork } = maxReissuesInRow
  if (count > (isOtherNetwork ? otherNetwork : sameNetwork)) return false
  const change = { $set: { reissuedGen: gen, reissuesInRow: count } }
  const filter = { _id, gen, revokedAt: null }
  return (await model.updateOne(filter, change, majority)).matchedCount > 0
}

function isElsewhere(last: string | null, address: string | undefined): boolean {
  if (last === null || address === undefined) return false
  return toNetwork(last) !== toNetwork(address)
}

// Why no session matched the update; `late` is a request with the direct predecessor in the leeway.
// `compare` says when the request arrived, compared with the refresh that began at a time.
function explainMiss(
  token: PresentedToken,
  session: SessionDocument,
  settings: SessionSettings,
  compare: (rotatedAt: number) => Arrival,
): Exclude<Rotation['status'], 'rotated'> | 'late' {
  const now = settings.now()
  if (session.revokedAt) return 'revoked'
  if (Math.min(session.idleExpiresAt.getTime(), session.absoluteExpiresAt.getTime()) <= now) {
    return 'expired'
  }
  // The database lost a write (failover without majority): this is not a theft.
  if (token.generation > session.gen) return 'ahead'
  // If it was used up while this request was running, no clock is needed.
  const arrival = token.wasCurrent ? 'during' : compare(session.rotatedAt?.getTime() ?? 0)
  // From before a change of the password: clients that have the new tokens are not logged out, and another tab may not have
  // them yet. The comparison is false for sessions of earlier versions, which have no such generation.
  if (token.generation < session.renewedGen) return arrival === 'later' ? 'revoked' : 'overlap'
  const isPredecessor = token.generation === session.gen - 1
  if (!isPredecessor) return token.wasCurrent ? 'overlap' : 'replayed'
  const isLenient = settings.refreshLeeway > 0
  return (
    { during: isLenient ? 'reissued' : 'overlap', leeway: 'late', later: 'replayed' } as const
  )[arrival]
}
