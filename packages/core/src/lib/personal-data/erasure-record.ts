import mongoose, { type mongo } from 'mongoose'
import { listPersonalModels } from '../auth/storage/model-registry.ts'

interface ErasureRecord {
  /** Id of the user, which is all that remains. */
  readonly _id: string
  readonly startedAt: Date
  readonly finishedAt?: Date
}

const collectionName = 'erasures'

// An erasure that was interrupted is completed by the next one, also when the account is gone already.
export const erasures = {
  async isStarted(userId: string): Promise<boolean> {
    const record = await open().findOne({ _id: userId })
    return record !== null && record.finishedAt === undefined
  },
  async start(userId: string): Promise<void> {
    const update = { $setOnInsert: { startedAt: new Date() } }
    await open().updateOne({ _id: userId }, update, { upsert: true })
  },
  async finish(userId: string): Promise<void> {
    await open().updateOne({ _id: userId }, { $set: { finishedAt: new Date() } })
  },
}

function open(): mongo.Collection<ErasureRecord> {
  const connection = listPersonalModels()[0]?.model.db ?? mongoose.connection
  return connection.getClient().db(connection.name).collection(collectionName)
}
