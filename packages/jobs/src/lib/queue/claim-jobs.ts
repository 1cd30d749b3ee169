import { type mongo } from 'mongoose'
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
export async function claimFirst(store: Store, options: ClaimOptions): Promise<Claim | undefined> {
  const { clock, name } = options
  const claimedAt = performance.now()
  const record = await store.jobs.findOneAndUpdate(
    // The estimate bounds what is read of the index; `$$NOW` decides.
    { name, due: { $lte: clock.estimate() }, $expr: { $lte: ['$due', '$$NOW'] } },
    toClaimed(options),
    { sort: { due: 1 }, returnDocument: 'after' },
  )
  if (record?.startedAt) clock.observe(record.startedAt)
  return record ? { record, claimedAt } : undefined
}

type Candidate = Pick<JobRecord, '_id' | 'token'> & { readonly due: Date; readonly now: Date }

/** What comes next of one name. */
export interface Next {
  /** The first jobs that are due. */
  readonly due: readonly Candidate[]
  /** Milliseconds until the first one is due; infinite if there is none. */
  readonly delay: number
}

export async function findNext(
  store: Store,
  { clock, name }: Pick<ClaimOptions, 'clock' | 'name'>,
  limit = 1,
): Promise<Next> {
  const found = await store.jobs
    .find<Candidate>(
      { name, due: { $exists: true } },
      { sort: { due: 1 }, limit, projection: { token: 1, due: 1, now: '$$NOW' } },
    )
    .toArray()
  const [first] = found
  if (!first) return { due: [], delay: Number.POSITIVE_INFINITY }
  clock.observe(first.now)
  return {
    due: found.filter(({ due, now }) => due <= now),
    delay: Math.max(0, first.due.getTime() - first.now.getTime()),
  }
}

// Takes those of the jobs that no other process has taken since they were found. Each has a statement for itself, because the driver repeats
// only those after a failure of the network.
export async function claimAll(
  store: Store,
  candidates: readonly Candidate[],
  options: Pick<ClaimOptions, 'leaseMs' | 'owner'>,
): Promise<Claim[]> {
  const { owner } = options
  const claimedAt = performance.now()
  const update = toClaimed(options)
  await store.jobs.bulkWrite(
    candidates.map(({ _id, now, token }) => ({
      updateOne: { filter: { _id, token, due: { $lte: now } }, update },
    })),
    { ordered: false },
  )
  const ids = candidates.map(({ _id }) => _id)
  const mine = await store.jobs.find({ _id: { $in: ids }, owner, state: 'running' }).toArray()
  const records = new Map(mine.map((record) => [record._id, record]))
  return candidates.flatMap(({ _id, token }) => {
    const record = records.get(_id)
    return record?.token === token + 1 ? [{ record, claimedAt }] : []
  })
}

function toClaimed({ leaseMs, owner }: Pick<ClaimOptions, 'leaseMs' | 'owner'>): mongo.Document[] {
  return [
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
  ]
}
