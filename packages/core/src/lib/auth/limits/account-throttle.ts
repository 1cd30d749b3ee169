import { createHash } from 'node:crypto'
import { type Model, Schema, trusted } from 'mongoose'
import { isDuplicateKey } from '../../errors/from-database-error.ts'
import { createRefusal } from '../../limits/refusal.ts'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'
import { toPolicy } from './auth-limits.ts'
import { type Limit } from './limit-options.ts'

interface ThrottleDocument {
  /** Digest of the throttle key. */
  _id: string
  /** Failures since the last success, or since the last quiet window. */
  failures: number
  /** Attempts before this time are rejected unread. */
  blockedUntil: Date | null
  /** When the TTL index removes it. */
  expiresAt: Date
}

export type ThrottleModel = Model<ThrottleDocument>

const schema = new Schema<ThrottleDocument>(
  {
    _id: { type: String, required: true },
    failures: { type: Number, required: true },
    blockedUntil: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createThrottleModel(place: ModelPlace): ThrottleModel {
  return requireModel(place, { name: 'LoginThrottle', collection: 'loginthrottles', schema })
}

export interface AccountThrottleSettings {
  /** Failures without a delay, and how long they are remembered after the last one. */
  free: Limit
  /** The clock, in milliseconds since the epoch. */
  now: () => number
}

export interface AccountThrottle {
  /** Throws `rate_limited` with `Retry-After` when an attempt comes too early. */
  requireOpen(throttleKey: string): Promise<void>
  /**
   * Counts an attempt before it is verified, so that concurrent attempts are not more than the free ones. Throws
   * `rate_limited` with `Retry-After`; `clear` after a success.
   */
  take(throttleKey: string): Promise<void>
  /** Counts a failed attempt. */
  fail(throttleKey: string): Promise<void>
  /** Removes the failures. */
  clear(throttleKey: string): Promise<void>
}

const maxDelayMs = 60_000
const maxFailures = 100

// The failures are kept in the database, so several processes count together and a restart loses
// nothing. An account is never locked: after the free failures each further one doubles the delay,
// from one second to a minute (NIST SP 800-63B section 5.2.2); after 100 it is a whole window. Decision
// 048 states why this is not a counter.
export function createAccountThrottle(
  model: ThrottleModel,
  settings: AccountThrottleSettings,
): AccountThrottle {
  return {
    async requireOpen(throttleKey) {
      const now = settings.now()
      const state = await model.findById(toKey(throttleKey)).lean()
      if (!state?.blockedUntil || state.expiresAt.getTime() <= now) return
      const wait = state.blockedUntil.getTime() - now
      if (wait > 0) throw createRefusal(toPolicy(settings.free), wait)
    },
    take: (throttleKey) => countAttempt(model, settings, toKey(throttleKey)),
    fail: (throttleKey) => countFailure(model, settings, toKey(throttleKey)),
    async clear(throttleKey) {
      await model.deleteOne({ _id: toKey(throttleKey) })
    },
  }
}

async function countFailure(
  model: ThrottleModel,
  settings: AccountThrottleSettings,
  key: string,
): Promise<void> {
  const now = settings.now()
  await model.deleteOne({ _id: key, expiresAt: trusted({ $lte: new Date(now) }) })
  const expiresAt = new Date(now + settings.free.window)
  const state = await model
    .findOneAndUpdate(
      { _id: key },
      { $inc: { failures: 1 }, $max: { expiresAt } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean()
  const delay = toDelay(state?.failures ?? 0, settings)
  if (delay === 0) return
  await model.updateOne({ _id: key }, { $max: { blockedUntil: new Date(now + delay) } })
}

// One conditional update: of concurrent attempts, each finds what the one before it has counted.
async function countAttempt(
  model: ThrottleModel,
  settings: AccountThrottleSettings,
  key: string,
): Promise<void> {
  const { free, now: clock } = settings
  const now = clock()
  const time = new Date(now)
  const past = trusted({ $lte: time })
  const counted = { $cond: [{ $gt: ['$expiresAt', time] }, { $add: ['$failures', 1] }, 1] }
  const doublings = { $pow: [2, { $subtract: ['$failures', free.limit] }] }
  const growing = { $min: [maxDelayMs, { $multiply: [1000, doublings] }] }
  const longest = { $cond: [{ $gte: ['$failures', maxFailures] }, free.window, growing] }
  const delay = { $cond: [{ $lt: ['$failures', free.limit] }, 0, longest] }
  try {
    await model.updateOne(
      { _id: key, $or: [{ blockedUntil: null }, { blockedUntil: past }, { expiresAt: past }] },
      [
        { $set: { failures: counted, expiresAt: new Date(now + free.window) } },
        { $set: { blockedUntil: { $add: [time, delay] } } },
      ],
      { upsert: true, updatePipeline: true },
    )
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    const state = await model.findById(key).lean()
    const wait = (state?.blockedUntil?.getTime() ?? 0) - now
    throw createRefusal(toPolicy(free), Math.max(1000, wait))
  }
}

function toDelay(failures: number, { free }: AccountThrottleSettings): number {
  if (failures < free.limit) return 0
  if (failures >= maxFailures) return free.window
  return Math.min(1000 * 2 ** (failures - free.limit), maxDelayMs)
}

// A digest, so the e-mail address is not stored in one more collection.
function toKey(throttleKey: string): string {
  return createHash('sha256').update(throttleKey).digest('base64url')
}
