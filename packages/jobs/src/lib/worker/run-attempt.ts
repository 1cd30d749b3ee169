import { setTimeout as sleep } from 'node:timers/promises'
import { type Instruments } from '@create-api/core/internal/jobs'
import { type ClientSession } from 'mongoose'
import { type Job } from '../job/define-job.ts'
import { type JobContext } from '../job/job-context.ts'
import { JobError, PermanentError } from '../job/job-error.ts'
import { type Claim } from '../queue/claim-jobs.ts'
import { type Completions } from '../queue/completions.ts'
import { type JobRecord, type StoredError } from '../queue/job-record.ts'
import { type Lease, leaseLost, type Leases } from '../queue/leases.ts'
import {
  type KeepTimes,
  settleJob,
  toDead,
  toDone,
  toRetry,
  toReturned,
  touchJob,
} from '../queue/settle-job.ts'
import { type Store } from '../queue/store.ts'
import { runTraced } from './tracing.ts'
import { type WorkerLog } from './worker-log.ts'

export interface AttemptParts {
  readonly store: Store
  readonly leases: Leases
  readonly completions: Completions
  readonly keep: KeepTimes
  readonly leaseMs: number
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal
  readonly log: WorkerLog
  readonly instruments?: Instruments | undefined
}

/** How an attempt has ended. `lost`: another process may have the job. */
export type Outcome = 'done' | 'retry' | 'dead' | 'returned' | 'lost'

export interface Attempt {
  readonly outcome: Outcome
  readonly error?: unknown
}

// An attempt that ignores its signal is given up after this time; its process goes on with other jobs.
const graceMs = 10_000

// Runs a job that this process has taken, and writes what has become of it.
export async function runAttempt(
  job: Job,
  { claimedAt, record }: Claim,
  parts: AttemptParts,
): Promise<Attempt> {
  const lease = parts.leases.hold(record, claimedAt)
  if (lease.lost.aborted)
    return report(record, parts, { outcome: 'lost', error: lease.lost.reason })
  if (record.failures > job.settings.retries) return bury(job, record, parts, lease)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(timedOut(job)), job.settings.timeout)
  const signal = AbortSignal.any([lease.lost, timeout.signal, parts.stopping])
  const completion = { isDone: false }
  try {
    const context = createContext(record, { ...parts, signal, completion })
    await untilGivenUp(
      signal,
      runTraced(record, () => start(job, record, context)),
    )
    if (completion.isDone) return report(record, parts, { outcome: 'done' })
    return await settle(job, record, parts, { outcome: 'done' })
  } catch (error) {
    if (completion.isDone) {
      parts.log.failedAfterCompletion(record, error)
      return { outcome: 'done', error }
    }
    if (lease.lost.aborted) return report(record, parts, { outcome: 'lost', error })
    const isStopped = parts.stopping.aborted && !timeout.signal.aborted
    if (isStopped) return await settle(job, record, parts, { outcome: 'returned', error })
    return await settle(job, record, parts, { outcome: judge(job, record, error), error })
  } finally {
    clearTimeout(timer)
    lease.release()
  }
}

async function start(job: Job, record: JobRecord, context: JobContext): Promise<void> {
  await job.run(job.parse(record.input), context)
}

function untilGivenUp(signal: AbortSignal, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      timer = setTimeout(() => reject(signal.reason), graceMs)
    }
    const end = (): void => {
      signal.removeEventListener('abort', onAbort)
      clearTimeout(timer)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    void work.then(resolve, reject).finally(end)
  })
}

interface ContextParts extends Pick<AttemptParts, 'store' | 'keep'> {
  readonly signal: AbortSignal
  readonly completion: { isDone: boolean }
}

function createContext(record: JobRecord, parts: ContextParts): JobContext {
  const { completion, keep, signal, store } = parts
  async function write<Result>(
    work: (session: ClientSession) => Promise<Result>,
    hold: (session: ClientSession) => Promise<boolean>,
  ): Promise<Result> {
    if (completion.isDone) throw leaseLost(record)
    return store.connection.transaction(async (session) => {
      const result = await work(session)
      if (!(await hold(session))) throw leaseLost(record)
      return result
    })
  }
  return {
    id: record._id,
    attempt: record.attempt,
    signal,
    requestId: record.requestId,
    scheduledFor: record.scheduledFor,
    fenced: (work) => write(work, (session) => touchJob(store, record, session)),
    async complete(work) {
      const result = await write(work, (session) => settleJob(store, record, toDone(keep), session))
      completion.isDone = true
      return result
    },
  }
}

function judge({ settings }: Job, { failures }: JobRecord, error: unknown): 'retry' | 'dead' {
  const isFinal = error instanceof PermanentError || isInputError(error)
  return isFinal || failures >= settings.retries ? 'dead' : 'retry'
}

function isInputError(error: unknown): boolean {
  return error instanceof JobError && error.code === 'job_input'
}

async function settle(
  job: Job,
  record: JobRecord,
  parts: AttemptParts,
  attempt: Attempt,
): Promise<Attempt> {
  const write = toWrite(job, record, parts, attempt)
  const deadline = performance.now() + parts.leaseMs
  for (;;) {
    try {
      const isHeld = await write()
      return report(record, parts, isHeld ? attempt : { ...attempt, outcome: 'lost' })
    } catch (error) {
      // The database is away: the job is run again if it stays so until the lease ends.
      if (performance.now() > deadline || parts.stopping.aborted) {
        return report(record, parts, { outcome: 'lost', error })
      }
      await sleep(200)
    }
  }
}

function toWrite(
  job: Job,
  record: JobRecord,
  { completions, keep, store }: AttemptParts,
  attempt: Attempt,
): () => Promise<boolean> {
  if (attempt.outcome === 'done' && record.group === undefined) return () => completions.add(record)
  const update = toUpdate(job, record, keep, attempt)
  return () => settleJob(store, record, update)
}

function toUpdate(
  job: Job,
  record: JobRecord,
  keep: KeepTimes,
  { error, outcome }: Attempt,
): ReturnType<typeof toDone> {
  if (outcome === 'done') return toDone(keep)
  if (outcome === 'returned') return toReturned
  return outcome === 'dead'
    ? toDead(keep, toStoredError(error))
    : toRetry(toDelay(job, record), toStoredError(error))
}

// Doubled for each failure; less up to half of it, so that jobs that failed together do not return together.
function toDelay({ settings }: Job, { failures }: JobRecord): number {
  const { first, max } = settings.backoff
  const full = Math.min(max, first * 2 ** failures)
  return Math.round(full * (0.5 + Math.random() / 2))
}

function toStoredError(error: unknown): StoredError {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 1000) }
  return { message: error.message.slice(0, 1000), stack: error.stack?.slice(0, 4000) }
}

// The process of each attempt has ended: a further one would end another process.
async function bury(
  job: Job,
  record: JobRecord,
  parts: AttemptParts,
  lease: Pick<Lease, 'release'>,
): Promise<Attempt> {
  const error = new JobError(
    'job_interrupted',
    `The last of ${record.attempt - 1} attempts ended without a result: its process was killed, or lost the database. Retry the job by hand when the cause is known.`,
  )
  try {
    return await settle(job, record, parts, { outcome: 'dead', error })
  } finally {
    lease.release()
  }
}

function report(record: JobRecord, { log }: AttemptParts, attempt: Attempt): Attempt {
  log.ended(record, attempt)
  return attempt
}

function timedOut({ name, settings }: Job): JobError {
  return new JobError(
    'job_timeout',
    `The job ${name} has taken longer than ${settings.timeout / 1000} s, its timeout.`,
  )
}
