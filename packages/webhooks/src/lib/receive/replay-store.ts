import mongoose, { type Connection, type mongo } from 'mongoose'
import {
  isDuplicateKey,
  majority,
  type Duration,
  parseDuration,
} from '@create-api/core/internal/sign-in'

/** Remembers the messages that were handled, so that each is handled once. */
export interface ReplayStore {
  /**
   * Takes a message.
   * @param id - its `webhook-id`
   * @returns `new` if it is to be handled, `done` if it was, `busy` if another request handles it
   */
  begin(id: string): Promise<'new' | 'done' | 'busy'>
  /**
   * Stores how it has ended.
   * @param id - its `webhook-id`
   * @param isDone - whether it was handled; if not, it can be sent again
   */
  end(id: string, isDone: boolean): Promise<void>
}

/** Options of {@link createReplayStore}. */
export interface ReplayStoreOptions {
  /** Name of the sender, to which ids belong. */
  source: string
  /**
   * How long messages are remembered: longer than the sender tries to deliver them.
   * @default '7d'
   */
  keep?: Duration | undefined
  /**
   * The connection of the database.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
}

interface Receipt {
  readonly _id: string
  readonly isDone: boolean
  readonly expiresAt: Date
}

// A request that has not ended after this time was lost with its process.
const leaseMs = 60_000

/**
 * Creates a store in the collection `webhook_receipts`, which all processes share.
 * @param options - name of the sender, and how long messages are remembered
 * @returns the store
 * @throws TypeError for an option that is not valid
 * @example
 * ```ts
 * createReplayStore({ source: 'payments' })
 * ```
 */
export function createReplayStore(options: ReplayStoreOptions): ReplayStore {
  const { connection = mongoose.connection, keep = '7d', source } = options
  if (!/^[\w.-]{1,100}$/.test(source)) {
    throw new TypeError('createReplayStore({ source }) must be letters, digits, and . _ -')
  }
  const keepMs = parseDuration(keep, 'createReplayStore({ keep })')
  let opened: Promise<mongo.Collection<Receipt>> | undefined
  const open = (): Promise<mongo.Collection<Receipt>> => {
    opened ??= openCollection(connection).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const toId = (id: string): string => `${source} ${id}`
  return {
    async begin(id) {
      const receipts = await open()
      const _id = toId(id)
      try {
        await receipts.updateOne(
          { _id, expiresAt: { $lte: new Date() } },
          { $set: { isDone: false, expiresAt: new Date(Date.now() + leaseMs) } },
          { upsert: true },
        )
        return 'new'
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        const receipt = await receipts.findOne({ _id })
        return receipt?.isDone ? 'done' : 'busy'
      }
    },
    async end(id, isDone) {
      const receipts = await open()
      const filter = { _id: toId(id) }
      if (!isDone) await receipts.deleteOne(filter)
      else {
        const expiresAt = new Date(Date.now() + keepMs)
        await receipts.updateOne(filter, { $set: { isDone, expiresAt } }, { upsert: true })
      }
    },
  }
}

async function openCollection(connection: Connection): Promise<mongo.Collection<Receipt>> {
  const { db } = connection
  if (!db) throw new Error('Mongoose is not connected: start the API first.')
  const receipts = db.collection<Receipt>('webhook_receipts', {
    writeConcern: majority.writeConcern,
  })
  await receipts.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  return receipts
}
