import { type ClientSession, type mongo } from 'mongoose'
import { type JobRecord, openStates, type StoredError } from './job-record.ts'
import { type Store } from './store.ts'

type Pipeline = mongo.Document[]
type Claimed = Pick<JobRecord, '_id' | 'token' | 'group'>

/** How long jobs are kept that are not open; milliseconds. */
export interface KeepTimes {
  readonly keepDone: number
  readonly keepDead: number
}

const ended = ['due', 'unique', 'owner']

export function toDone({ keepDone }: KeepTimes): Pipeline {
  return [
    { $set: { state: 'done', finishedAt: '$$NOW', removeAt: { $add: ['$$NOW', keepDone] } } },
    { $unset: [...ended, 'error'] },
  ]
}

export function toDead({ keepDead }: KeepTimes, error: StoredError): Pipeline {
  return [
    {
      $set: {
        state: 'dead',
        error: { $literal: error },
        failures: { $add: ['$failures', 1] },
        finishedAt: '$$NOW',
        removeAt: { $add: ['$$NOW', keepDead] },
      },
    },
    { $unset: ended },
  ]
}

export function toDiscarded({ keepDone }: KeepTimes): Pipeline {
  return [
    { $set: { state: 'discarded', finishedAt: '$$NOW', removeAt: { $add: ['$$NOW', keepDone] } } },
    { $unset: ended },
  ]
}

export function toRetry(afterMs: number, error: StoredError): Pipeline {
  return [
    {
      $set: {
        state: 'waiting',
        error: { $literal: error },
        failures: { $add: ['$failures', 1] },
        due: { $add: ['$$NOW', afterMs] },
      },
    },
    { $unset: 'owner' },
  ]
}

// For another process, at once and without a failure.
export const toReturned: Pipeline = [
  { $set: { state: 'waiting', due: '$$NOW' } },
  { $unset: 'owner' },
]

// Writes the result of an attempt that has the job. Returns whether it still has it.
export async function settleJob(
  store: Store,
  job: Claimed,
  update: Pipeline,
  session?: ClientSession,
): Promise<boolean> {
  if (session || job.group === undefined) return settle(store, job, update, session)
  // With the next one of the group, which would otherwise wait forever if the process ended in between.
  return store.connection.transaction((own) => settle(store, job, update, own))
}

async function settle(
  store: Store,
  { _id, group, token }: Claimed,
  update: Pipeline,
  session?: ClientSession,
): Promise<boolean> {
  const options = session ? { session } : {}
  const held = { _id, token, state: 'running' } as const
  const { matchedCount } = await store.jobs.updateOne(held, update, options)
  if (matchedCount === 1 && group !== undefined && session) {
    await promoteNext(store, group, session)
  }
  return matchedCount === 1
}

// Lets the next job of a group be taken if no other one is open before it.
export async function promoteNext(
  store: Store,
  group: string,
  session: ClientSession,
): Promise<void> {
  const taken = { group, state: { $in: openStates.filter((state) => state !== 'blocked') } }
  if (await store.jobs.findOne(taken, { session, projection: { _id: 1 } })) return
  await store.jobs.findOneAndUpdate(
    { group, state: 'blocked' },
    [{ $set: { state: 'waiting', due: '$$NOW' } }],
    { sort: { position: 1 }, projection: { _id: 1 }, session },
  )
}

// A write that conflicts with every other worker that has the job. At the end of a transaction, so that the renewal of the lease
// waits as briefly as possible.
export async function touchJob(
  store: Store,
  { _id, token }: Claimed,
  session: ClientSession,
): Promise<boolean> {
  const held = { _id, token, state: 'running' } as const
  const { matchedCount } = await store.jobs.updateOne(held, { $inc: { writes: 1 } }, { session })
  return matchedCount === 1
}
