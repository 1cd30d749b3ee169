import {
  type Duration,
  type Instruments,
  type JobsConfig,
  type JobsContext,
  type JobsFeature,
  type JobsRuntime,
  parseDuration,
  trackRequests,
} from '@create-api/core/internal/jobs'
import { type Connection } from 'mongoose'
import { type EventHandler } from './events/on.ts'
import { type Job } from './job/define-job.ts'
import { type JobRecord } from './queue/job-record.ts'
import { buildIndexes, openStore, type Store } from './queue/store.ts'
import { prepareSchedules } from './schedules/run-schedules.ts'
import { type Schedule } from './schedules/schedule.ts'
import { createWorkerLog } from './worker/worker-log.ts'
import { startWorker, type Worker, type WorkerParts } from './worker/worker.ts'

/** Options of {@link createJobs}. */
export interface JobsOptions extends JobsConfig {
  /**
   * The jobs that the service can run.
   * @default []
   */
  jobs?: readonly Job<never>[] | undefined
  /**
   * The handlers of events.
   * @default []
   */
  handlers?: readonly EventHandler[] | undefined
  /**
   * The jobs that run at the times of a cron expression.
   * @default []
   */
  schedules?: readonly Schedule[] | undefined
  /**
   * Time after which a job is given to another process if the one that runs it does not renew its lease. It is renewed after a third of it.
   * @default '30s'
   */
  lease?: Duration | undefined
  /**
   * Time after which the queue is read even if the database has reported no change.
   * @default '5s'
   */
  pollInterval?: Duration | undefined
  /**
   * How long jobs are kept that are done or were discarded.
   * @default '1d'
   */
  keepDone?: Duration | undefined
  /**
   * How long dead jobs are kept.
   * @default '30d'
   */
  keepDead?: Duration | undefined
  /**
   * How long events are kept after they were passed to their handlers.
   * @default '7d'
   */
  keepEvents?: Duration | undefined
  /**
   * The connection of the queue. Pass it to `enqueue` and `emit` too.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
}

/** What the jobs of a service consist of, for commands and tests. */
export interface JobsDefinition extends Omit<WorkerParts, 'log'> {
  readonly connection: Connection | undefined
}

const definitions = new WeakMap<object, JobsDefinition>()

/**
 * Adds jobs, schedules and handlers of events to an API. They run in its process, in separate processes (`WORKER=only`), or both.
 * @param options - jobs, handlers, schedules, and the times of the queue
 * @returns the value of the option `jobs` of `createApi`
 * @throws TypeError for an option that is not valid, and for two jobs with one name
 * @example
 * ```ts
 * export const api = createApi({
 *   routes,
 *   jobs: createJobs({
 *     jobs: [sendWelcome],
 *     handlers: [indexPost],
 *     schedules: [schedule(purge, { cron: '@daily', input: {} })],
 *   }),
 * })
 * ```
 */
export function createJobs(options: JobsOptions): JobsFeature {
  const definition = readOptions(options)
  const { worker } = options
  // Jobs and events carry the id of the request that has added them.
  trackRequests()
  const create = (context: JobsContext): JobsRuntime => createRuntime(definition, context)
  definitions.set(create, definition)
  return { create, ...(worker !== undefined && { worker }) }
}

// The jobs of an API.
export function findDefinition(api: {
  readonly config: { readonly jobs: { readonly create?: unknown } }
}): JobsDefinition {
  const { create } = api.config.jobs
  const found = typeof create === 'function' ? definitions.get(create) : undefined
  if (found) return found
  throw new Error(
    "This API has no jobs: createApi({ jobs: createJobs({ jobs: [] }) }), imported from '@create-api/jobs'.",
  )
}

function readOptions(options: JobsOptions): JobsDefinition {
  const { connection, handlers = [], jobs = [], schedules = [] } = options
  const all: readonly Job[] = [...jobs, ...handlers]
  const byName = new Map(all.map((job) => [job.name, job]))
  const twice = all.find((job) => byName.get(job.name) !== job)
  if (twice)
    throw new TypeError(`createJobs() has two jobs or handlers with the name ${twice.name}.`)
  const names = schedules.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) {
    throw new TypeError(
      `createJobs() has two schedules with the name ${repeated}: give one of them another name.`,
    )
  }
  const foreign = schedules.find(({ job }) => byName.get(job.name) !== job)
  if (foreign) {
    throw new TypeError(
      `The job ${foreign.job.name} has a schedule, but is not among the jobs of createJobs().`,
    )
  }
  return {
    jobs: byName,
    handlers,
    schedules,
    connection,
    leaseMs: readTime(options, 'lease', '30s', 1000),
    pollMs: readTime(options, 'pollInterval', '5s', 10),
    keep: {
      keepDone: readTime(options, 'keepDone', '1d', 0),
      keepDead: readTime(options, 'keepDead', '30d', 0),
      keepEvents: readTime(options, 'keepEvents', '7d', 0),
    },
  }
}

type TimeName = 'lease' | 'pollInterval' | 'keepDone' | 'keepDead' | 'keepEvents'

function readTime(
  options: JobsOptions,
  name: TimeName,
  fallback: Duration,
  leastMs: number,
): number {
  const ms = parseDuration(options[name] ?? fallback, `createJobs({ ${name} })`)
  if (ms >= leastMs) return ms
  throw new TypeError(`createJobs({ ${name} }) must be at least ${leastMs}ms.`)
}

function createRuntime(definition: JobsDefinition, context: JobsContext): JobsRuntime {
  const { instruments, logger, works } = context
  let store: Store | undefined
  let worker: Worker | undefined
  const log = createWorkerLog(logger, createMeasure(instruments))
  instruments?.gauge(lag, async (set) => {
    if (store) await measureLag(store, definition, set)
  })
  return {
    async start() {
      store = openStore(definition.connection)
      await buildIndexes(store)
      if (!works) return
      await prepareSchedules(store, definition)
      worker = startWorker(store, { ...definition, log })
    },
    drain: () => worker?.drain(),
    async stop(timeLeftMs) {
      await worker?.stop(timeLeftMs)
      worker = undefined
    },
  }
}

const lag = {
  name: 'job_lag_seconds',
  help: 'Time for which the job that is due first has been waiting, by job.',
  labelNames: ['job'],
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600]

type Measure = Parameters<typeof createWorkerLog>[1]

function createMeasure(instruments: Instruments | undefined): Measure {
  if (!instruments) return () => {}
  const observeWait = instruments.histogram({
    name: 'job_wait_seconds',
    help: 'Time from when a job was due to the start of an attempt.',
    labelNames: ['job'],
    buckets,
  })
  const count = instruments.counter({
    name: 'job_attempts_total',
    help: 'Attempts that have ended, by job and outcome.',
    labelNames: ['job', 'outcome'],
  })
  return ({ name, waitedMs = 0 }, outcome) => {
    observeWait({ job: name }, waitedMs / 1000)
    count({ job: name, outcome })
  }
}

type SetLag = (labels: { readonly job: string }, seconds: number) => void

async function measureLag({ jobs }: Store, definition: JobsDefinition, set: SetLag): Promise<void> {
  const measure = async (name: string): Promise<number> => {
    const first = await jobs.findOne<Pick<JobRecord, 'due'> & { readonly now: Date }>(
      { name, due: { $exists: true } },
      { sort: { due: 1 }, projection: { due: 1, now: '$$NOW' } },
    )
    const lateMs = first?.due ? first.now.getTime() - first.due.getTime() : 0
    return Math.max(0, lateMs) / 1000
  }
  // Without the database, the other metrics are still read.
  const read = async (job: string): Promise<void> =>
    set({ job }, await measure(job).catch(() => Number.NaN))
  await Promise.all(Array.from(definition.jobs.keys(), read))
}
