import { type DatabaseClock } from './database-clock.ts'
import { type JobRecord } from './job-record.ts'
import { type Store } from './store.ts'

export interface ClaimOptions {
  readonly name: string
  readonly owner: string
  readonly leaseMs: number
  readonly clock: DatabaseClock
}

/** A job that this process has taken. */
export interface Claim {
  readonly record: JobRecord
  /** By a monotonic clock: not later than when its lease began. */
  readonly claimedAt: number
}

// Takes the job that is due first: one that waits, or one whose lease has ended.
export async function claimJob(store: Store, options: ClaimOptions): Promise<Claim | undefined> {
  const { clock, leaseMs, name, owner } = options
  const claimedAt = performance.now()
  const record = await store.jobs.findOneAndUpdate(
    // The estimate bounds what is read of the index; `$$NOW` decides.
    { name, due: { $lte: clock.estimate() }, $expr: { $lte: ['$due', '$$NOW'] } },
    [
      {
        $set: {
          state: 'running',
          owner,
          attempt: { $add: ['$attempt', 1] },
          // Its process has ended, or has lost the database, before it could report a result.
          failures: { $add: ['$failures', { $cond: [{ $eq: ['$state', 'running'] }, 1, 0] }] },
          token: { $add: ['$token', 1] },
          waitedMs: { $subtract: ['$$NOW', '$due'] },
          startedAt: '$$NOW',
          due: { $add: ['$$NOW', leaseMs] },
        },
      },
    ],
    { sort: { due: 1 }, returnDocument: 'after' },
  )
  if (record?.startedAt) clock.observe(record.startedAt)
  return record ? { record, claimedAt } : undefined
}

// Milliseconds until a job of this name is due; undefined if there is none.
export async function findDelay(
  store: Store,
  name: string,
  clock: DatabaseClock,
): Promise<number | undefined> {
  const first = await store.jobs.findOne<{ due: Date; now: Date }>(
    { name, due: { $exists: true } },
    { sort: { due: 1 }, projection: { due: 1, now: '$$NOW' } },
  )
  if (!first) return undefined
  clock.observe(first.now)
  return Math.max(0, first.due.getTime() - first.now.getTime())
}
