import { type Api } from '@create-api/core'
import { createOwner } from './worker/worker.ts'
import { createDatabaseClock } from './queue/database-clock.ts'
import { claimFirst, findNext } from './queue/claim-jobs.ts'
import { createCompletions } from './queue/completions.ts'
import { createLeases } from './queue/leases.ts'
import { openStore, type Store } from './queue/store.ts'
import { dispatchEvents } from './events/dispatch-events.ts'
import { findDefinition, type JobsDefinition } from './create-jobs.ts'
import { runAttempt } from './worker/run-attempt.ts'
import { createWorkerLog } from './worker/worker-log.ts'

/** Options of {@link runJobs}. */
export interface RunJobsOptions {
  /**
   * Whether jobs that are due later run at once, and those that failed are tried again at once.
   * @default false
   */
  later?: boolean | undefined
}

/** A job that `runJobs` has run. */
export interface RanJob {
  /** Id of the job. */
  readonly id: string
  /** Name of the job or handler. */
  readonly name: string
  /** Input of the job; of a handler, the event with its `data`. */
  readonly input: unknown
  /** Number of the attempt. */
  readonly attempt: number
  /** How it has ended: `retry` will be tried again, `dead` will not. */
  readonly outcome: 'done' | 'retry' | 'dead' | 'returned' | 'lost'
  /** What it has thrown. */
  readonly error?: unknown
}

/**
 * Runs the jobs that are due and the handlers of events, one after the other, until none is left: for tests, in which no worker runs unless
 * `WORKER` says so.
 * @param api - the API, started
 * @param options - whether jobs that are due later run too
 * @returns the jobs that were run, in order
 * @throws Error when the API has no jobs or is not started
 * @example
 * ```ts
 * await client.request.post('/api/posts').send(post).expect(201)
 * const ran = await runJobs(api)
 * expect(ran).toMatchObject([{ name: 'index-post', outcome: 'done' }])
 * ```
 */
export async function runJobs(
  api: Pick<Api, 'config'>,
  options: RunJobsOptions = {},
): Promise<RanJob[]> {
  const definition = findDefinition(api)
  const store = openStore(definition.connection)
  const owner = createOwner()
  const { leaseMs } = definition
  const parts = {
    ...definition,
    store,
    owner,
    leases: createLeases(store, { owner, leaseMs }),
    completions: createCompletions(store, definition.keep),
    clock: createDatabaseClock(),
    stopping: new AbortController().signal,
    log: createWorkerLog(api.config.logger, () => {}),
  }
  const ran: RanJob[] = []
  try {
    let count = -1
    while (ran.length > count) {
      count = ran.length
      await dispatchEvents(store, definition)
      for (const name of definition.jobs.keys()) {
        if (options.later) await makeDue(store, name)
        await runDue(name, parts, ran)
      }
    }
  } finally {
    parts.leases.stop()
  }
  return ran
}

type Parts = Parameters<typeof runAttempt>[2] &
  Omit<Parameters<typeof claimFirst>[1], 'name'> &
  JobsDefinition

async function runDue(name: string, parts: Parts, ran: RanJob[]): Promise<void> {
  const { clock, jobs, store } = parts
  const job = jobs.get(name)
  if (!job) return
  for (;;) {
    const claim = await claimFirst(store, { ...parts, name })
    if (!claim) {
      const { due } = await findNext(store, { name, clock })
      if (due.length > 0) continue
      return
    }
    const { attempt, input, _id: id } = claim.record
    ran.push({ id, name, input, attempt, ...(await runAttempt(job, claim, parts)) })
  }
}

async function makeDue({ jobs }: Store, name: string): Promise<void> {
  await jobs.updateMany({ name, state: 'waiting' }, [
    { $set: { due: { $min: ['$due', '$$NOW'] } } },
  ])
}
