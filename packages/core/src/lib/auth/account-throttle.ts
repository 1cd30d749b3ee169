import { createHash } from 'node:crypto'
import { trusted } from 'mongoose'
import { type Limit, refuse } from './limit.ts'
import { type ThrottleModel } from './throttle-model.ts'

/** Settings of the throttle per account. */
export interface AccountThrottleSettings {
  /** Failures that cost nothing, and how long they are remembered after the last one. */
  free: Limit
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Slows down the guessing of one account's password, from wherever it comes. */
export interface AccountThrottle {
  /**
   * Refuses an attempt that comes too early.
   * @param lane - what is counted
   * @throws ApiError `rate_limited` with `Retry-After`
   */
  requireOpen(lane: string): Promise<void>
  /** Counts a failed attempt. */
  fail(lane: string): Promise<void>
  /** Forgets the failures. */
  clear(lane: string): Promise<void>
}

const longestDelay = 60_000
const mostFailures = 100

/**
 * Makes the throttle. It is kept in the database, so that several processes count together and a
 * restart forgets nothing. It never locks: after the free failures each further one doubles the
 * pause, from one second to a minute (NIST SP 800-63B section 5.2.2); after 100 the pause is a
 * whole window.
 * @param model - the documents
 * @param settings - failures and window
 * @returns the throttle
 */
export function createAccountThrottle(
  model: ThrottleModel,
  settings: AccountThrottleSettings,
): AccountThrottle {
  return {
    async requireOpen(lane) {
      const now = settings.now()
      const state = await model.findById(toKey(lane)).lean()
      if (!state?.blockedUntil || state.expiresAt.getTime() <= now) return
      const wait = state.blockedUntil.getTime() - now
      if (wait > 0) throw refuse(settings.free, wait)
    },
    fail: (lane) => countFailure(model, settings, toKey(lane)),
    async clear(lane) {
      await model.deleteOne({ _id: toKey(lane) })
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
  const expiresAt = new Date(now + settings.free.window * 1000)
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

function toDelay(failures: number, { free }: AccountThrottleSettings): number {
  if (failures < free.limit) return 0
  if (failures >= mostFailures) return free.window * 1000
  return Math.min(1000 * 2 ** (failures - free.limit), longestDelay)
}

// The address of an account does not lie in yet another collection.
function toKey(lane: string): string {
  return createHash('sha256').update(lane).digest('base64url')
}
