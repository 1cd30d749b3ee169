import { type JobsDefinition } from './create-jobs.ts'
import { JobError } from './job/job-error.ts'
import { type JobRecord, type JobState, openStates } from './queue/job-record.ts'
import { promoteNext, toDiscarded } from './queue/settle-job.ts'
import { openStore, type Store } from './queue/store.ts'

export interface JobList {
  readonly jobs: readonly JobSummary[]
  readonly counts: readonly JobCount[]
  readonly paused: readonly string[]
}

export interface JobSummary {
  readonly id: string
  readonly name: string
  readonly state: JobState
  readonly attempt: number
  readonly due: string | undefined
  readonly createdAt: string
  readonly finishedAt: string | undefined
  readonly error: string | undefined
}

export interface JobCount {
  readonly name: string
  readonly state: JobState
  readonly count: number
}

export interface JobChoice {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** What operators do with the queue. */
export interface JobManager {
  list(filter: { state?: JobState; name?: string; limit: number }): Promise<JobList>
  /** Makes dead jobs due. Returns their number. */
  retry(choice: JobChoice): Promise<number>
  /** Takes jobs out of the queue that do not run: one by its id, or the dead ones of a name. Returns their number. */
  discard(choice: JobChoice): Promise<number>
  /** Processes take no more jobs of this name, or take them again. */
  pause(name: string, paused: boolean): Promise<void>
}

export function createJobManager(definition: JobsDefinition): JobManager {
  const store = openStore(definition.connection)
  return {
    list: (filter) => listJobs(store, filter),
    retry: (choice) => changeEach(store, choice, (job) => retryJob(store, job)),
    discard: (choice) => changeEach(store, choice, (job) => discardJob(store, definition, job)),
    async pause(name, paused) {
      if (!definition.jobs.has(name)) {
        const known = [...definition.jobs.keys()].join(', ')
        throw new JobError('job_unknown', `There is no job ${name}. The service has: ${known}`)
      }
      if (paused) {
        await store.controls.updateOne({ _id: name }, { $set: { paused } }, { upsert: true })
      } else await store.controls.deleteOne({ _id: name })
    },
  }
}

async function listJobs(
  { controls, jobs }: Store,
  { limit, name, state }: Parameters<JobManager['list']>[0],
): Promise<JobList> {
  const filter = { ...(state && { state }), ...(name !== undefined && { name }) }
  const records = await jobs.find(filter, { sort: { createdAt: -1 }, limit }).toArray()
  const counts = await jobs
    .aggregate<{ _id: { name: string; state: JobState }; count: number }>([
      { $match: filter },
      { $group: { _id: { name: '$name', state: '$state' }, count: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ])
    .toArray()
  const paused = await controls.find({ paused: true }, { sort: { _id: 1 } }).toArray()
  return {
    jobs: records.map(toSummary),
    counts: counts.map(({ _id, count }) => ({ ..._id, count })),
    paused: paused.map(({ _id }) => _id),
  }
}

function toSummary(record: JobRecord): JobSummary {
  const { _id: id, attempt, createdAt, due, error, finishedAt, name, state } = record
  return {
    id,
    name,
    state,
    attempt,
    due: due?.toISOString(),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString(),
    error: error?.message,
  }
}

// One job by its id, or the dead ones of a name.
async function changeEach(
  { jobs }: Store,
  { id, name }: JobChoice,
  change: (job: JobRecord) => Promise<boolean>,
): Promise<number> {
  if (id !== undefined) {
    const job = await jobs.findOne({ _id: id })
    if (!job) throw new JobError('job_unknown', `There is no job with the id ${id}.`)
    if (await change(job)) return 1
    throw new JobError(
      'job_state',
      `The job ${id} is ${job.state}: retry takes dead jobs, and discard those that wait or are dead.`,
    )
  }
  let count = 0
  const dead = { state: 'dead', ...(name !== undefined && { name }) } as const
  for await (const job of jobs.find(dead)) if (await change(job)) count += 1
  return count
}

// In its group, it runs before those that still wait.
async function retryJob(store: Store, { _id, group }: JobRecord): Promise<boolean> {
  return store.connection.transaction(async (session) => {
    const isBlocked =
      group !== undefined &&
      (await store.jobs.findOne(
        { group, state: { $in: openStates.filter((state) => state !== 'blocked') } },
        { session },
      )) !== null
    const state = isBlocked ? { state: 'blocked' } : { state: 'waiting', due: '$$NOW' }
    const { matchedCount } = await store.jobs.updateOne(
      { _id, state: 'dead' },
      [{ $set: { ...state, failures: 0 } }, { $unset: ['finishedAt', 'removeAt'] }],
      { session },
    )
    return matchedCount === 1
  })
}

async function discardJob(
  store: Store,
  { keep }: JobsDefinition,
  { _id, group }: JobRecord,
): Promise<boolean> {
  return store.connection.transaction(async (session) => {
    const { matchedCount } = await store.jobs.updateOne(
      { _id, state: { $in: ['waiting', 'blocked', 'dead'] } },
      toDiscarded(keep),
      { session },
    )
    if (matchedCount === 1 && group !== undefined) await promoteNext(store, group, session)
    return matchedCount === 1
  })
}
