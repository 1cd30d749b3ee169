import { type ClientSession, type mongo } from 'mongoose'
import { majority } from '../database/write-concern.ts'

// The record of a migration in the database. All times are those of the server.
export interface MigrationRecord {
  /** Name of the migration. */
  _id: string
  checksum: string
  state: 'applying' | 'applied' | 'reverting'
  /** Steps that are done, of the direction under way. */
  step: number
  /** `_id` of the last document of the last batch, within a step in batches. */
  position?: unknown
  /** Documents of the step up to the position. */
  seen?: number
  /** Documents that its batches have changed. */
  documents: number
  startedAt: Date
  appliedAt?: Date
  /** Time that it ran, without pauses between runs that were interrupted. */
  durationMs: number
  /** Name and version of the service that ran it last. */
  service: string
  version: string
}

export interface Ledger {
  read(): Promise<readonly MigrationRecord[]>
  /**
   * Changes a record, or creates it.
   * @param name - of the migration
   * @param change - update operators
   * @param session - the transaction
   */
  write(
    name: string,
    change: mongo.UpdateFilter<MigrationRecord>,
    session: ClientSession | undefined,
  ): Promise<void>
  remove(name: string, session: ClientSession | undefined): Promise<void>
}

export const ledgerCollection = 'migrations'

export function createLedger(db: mongo.Db): Ledger {
  const records = db.collection<MigrationRecord>(ledgerCollection)
  return {
    read: () =>
      records
        .find({}, { readConcern: { level: 'majority' } })
        .sort({ _id: 1 })
        .toArray(),
    async write(name, change, session) {
      await records.updateOne({ _id: name }, change, toOptions(session, { upsert: true }))
    },
    async remove(name, session) {
      await records.deleteOne({ _id: name }, toOptions(session, {}))
    },
  }
}

// Within a transaction, the write concern is that of the transaction.
function toOptions<Options extends object>(
  session: ClientSession | undefined,
  options: Options,
): Options & { session?: ClientSession; writeConcern?: { w: 'majority' } } {
  return session ? { ...options, session } : { ...options, ...majority }
}
