import { setImmediate } from 'node:timers/promises'
import { type JobRecord } from './job-record.ts'
import { type KeepTimes, toDone } from './settle-job.ts'
import { type Store } from './store.ts'

type Claimed = Pick<JobRecord, '_id' | 'token'>

interface Waiting {
  readonly job: Claimed
  readonly resolve: (isHeld: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Marks jobs as done; those that end while others are being written are written together. */
export interface Completions {
  /** Resolves to whether this process still had the job. */
  add(job: Claimed): Promise<boolean>
}

export function createCompletions({ jobs }: Pick<Store, 'jobs'>, keep: KeepTimes): Completions {
  const update = toDone(keep)
  let waiting: Waiting[] = []
  let isWriting = false

  async function write(ended: readonly Claimed[]): Promise<(job: Claimed) => boolean> {
    const { matchedCount } = await jobs.bulkWrite(
      ended.map(({ _id, token }) => ({
        updateOne: { filter: { _id, token, state: 'running' }, update },
      })),
      { ordered: false },
    )
    if (matchedCount === ended.length) return () => true
    // Others have some of them. No other process ends a job with a token of this one.
    const ids = ended.map(({ _id }) => _id)
    const done = await jobs
      .find({ _id: { $in: ids }, state: 'done' }, { projection: { token: 1 } })
      .toArray()
    const tokens = new Map(done.map(({ _id, token }) => [_id, token]))
    return ({ _id, token }) => tokens.get(_id) === token
  }

  async function flush(): Promise<void> {
    if (isWriting) return
    isWriting = true
    // With those that end in the same turn of the event loop.
    await setImmediate()
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const isHeld = await write(batch.map(({ job }) => job))
        for (const { job, resolve } of batch) resolve(isHeld(job))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isWriting = false
  }

  return {
    add: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject })
        void flush()
      }),
  }
}
