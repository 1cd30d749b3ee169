import { type ClientRateLimitInfo, type Options, type Store } from 'express-rate-limit'
import mongoose, { type Connection } from 'mongoose'
import { isDuplicateKey } from '../errors/from-database-error.ts'

/** Options for {@link createMongoStore}. */
export interface MongoStoreOptions {
  /**
   * Connection to the database with the counts.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
  /**
   * Name of the collection.
   * @default 'rate_limits'
   */
  collection?: string | undefined
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  now?: (() => number) | undefined
}

interface Count {
  /** Key and number of the window. */
  _id: string
  hits: number
  /** When the TTL index removes it. */
  expiresAt: Date
}

type Counts = ReturnType<typeof mongoose.connection.collection<Count>>

// Waiting for other servers would cost more than a count that is lost in a failover.
const relaxed = { writeConcern: { w: 1 } } as const

/**
 * Keeps the counts of a rate limit in MongoDB, so several processes share them without another
 * server. Windows start at the same time for every client and process; one document counts one client
 * in one window, by one atomic update.
 * @param options - connection and collection
 * @returns a store for {@link rateLimit} or express-rate-limit
 * @example
 * ```ts
 * app.use(rateLimit({ limit: 100, window: '60s', store: createMongoStore() }))
 * ```
 */
export function createMongoStore(options: MongoStoreOptions = {}): Store {
  const { connection = mongoose.connection, collection: name = 'rate_limits' } = options
  const { now = Date.now } = options
  let windowMs = 60_000
  let indexed: Promise<unknown> | undefined

  const counts = (): Counts => connection.collection<Count>(name)

  function toWindow(key: string): { _id: string; resetTime: Date } {
    const number = Math.floor(now() / windowMs)
    return { _id: `${key}:${number}`, resetTime: new Date((number + 1) * windowMs) }
  }

  // Not awaited: without the index the counts are correct, they only stay longer.
  function ensureIndex(): void {
    indexed ??= counts()
      .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })
      .catch(() => {
        indexed = undefined
      })
  }

  return {
    localKeys: false,
    init(limits: Options) {
      windowMs = limits.windowMs
    },
    async increment(key): Promise<ClientRateLimitInfo> {
      ensureIndex()
      const { _id, resetTime } = toWindow(key)
      const totalHits = await countHit(counts(), _id, resetTime)
      return { totalHits, resetTime }
    },
    async decrement(key) {
      const { _id } = toWindow(key)
      await counts().updateOne({ _id, hits: { $gt: 0 } }, { $inc: { hits: -1 } }, relaxed)
    },
    async resetKey(key) {
      const { _id } = toWindow(key)
      await counts().deleteOne({ _id }, relaxed)
    },
  }
}

async function countHit(counts: Counts, _id: string, expiresAt: Date): Promise<number> {
  const update = { $inc: { hits: 1 }, $setOnInsert: { expiresAt } }
  const options = { ...relaxed, upsert: true, returnDocument: 'after' } as const
  try {
    const count = await counts.findOneAndUpdate({ _id }, update, options)
    return count?.hits ?? 1
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    // Another process inserted the window first: now there is one to update.
    const count = await counts.findOneAndUpdate({ _id }, update, options)
    return count?.hits ?? 1
  }
}
