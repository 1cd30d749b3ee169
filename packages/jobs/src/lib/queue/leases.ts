import { JobError } from '../job/job-error.ts'
import { type JobRecord } from './job-record.ts'
import { type Store } from './store.ts'

interface Held {
  readonly record: JobRecord
  readonly lost: AbortController
  /** By a monotonic clock: not later than when the database began to count. */
  renewedAt: number
}

export interface Lease {
  readonly lost: AbortSignal
  release(): void
}

/** The leases of the jobs that a process runs, renewed together. */
export interface Leases {
  /**
   * Renews the lease of a job until `release` is called; `lost` is aborted when it is lost. `claimedAt` is the time before the job was
   * claimed.
   */
  hold(record: JobRecord, claimedAt: number): Lease
  stop(): void
}

export interface LeaseOptions {
  readonly owner: string
  readonly leaseMs: number
}

export function createLeases(store: Store, { leaseMs, owner }: LeaseOptions): Leases {
  const held = new Set<Held>()
  let isRenewing = false

  async function renew(): Promise<void> {
    const renewing = [...held]
    if (renewing.length === 0) return
    const sentAt = performance.now()
    const ids = renewing.map(({ record }) => record._id)
    const mine = { _id: { $in: ids }, owner, state: 'running' } as const
    await store.jobs.updateMany(mine, [{ $set: { due: { $add: ['$$NOW', leaseMs] } } }])
    const found = await store.jobs.find(mine, { projection: { token: 1 } }).toArray()
    const tokens = new Map(found.map(({ _id, token }) => [_id, token]))
    for (const lease of renewing) {
      const { _id, token } = lease.record
      if (tokens.get(_id) === token) lease.renewedAt = sentAt
      else lose(lease)
    }
  }

  function lose(lease: Held): void {
    held.delete(lease)
    lease.lost.abort(leaseLost(lease.record))
  }

  async function tick(): Promise<void> {
    const now = performance.now()
    for (const lease of held) if (now - lease.renewedAt > leaseMs) lose(lease)
    if (isRenewing) return
    isRenewing = true
    try {
      await renew()
    } catch {
      // Tried again; if it stays so, the lease ends above.
    } finally {
      isRenewing = false
    }
  }

  const timer = setInterval(() => void tick(), leaseMs / 3)
  timer.unref()
  return {
    hold(record, claimedAt) {
      const lease: Held = { record, lost: new AbortController(), renewedAt: claimedAt }
      held.add(lease)
      // The reply of the database was late.
      if (performance.now() - claimedAt > leaseMs) lose(lease)
      return { lost: lease.lost.signal, release: () => void held.delete(lease) }
    },
    stop: () => clearInterval(timer),
  }
}

export function leaseLost({ _id, name }: Pick<JobRecord, '_id' | 'name'>): JobError {
  return new JobError(
    'job_lease_lost',
    `This process did not renew its lease of the job ${name} ${_id} in time, or the job is completed. Another process may run it: nothing that is fenced was written.`,
  )
}
