import { isDuplicateKey } from '@create-api/core/internal/jobs'
import { type ClientSession, mongo } from 'mongoose'
import { type Store } from './store.ts'

export interface NewJob {
  /** A new id by default. */
  readonly id?: string
  readonly name: string
  readonly input: unknown
  /** A time, or milliseconds from now by the clock of the database. */
  readonly due?: Date | number | undefined
  readonly key?: string | undefined
  readonly requestId?: string | undefined
  readonly traceparent?: string | undefined
  readonly scheduledFor?: Date
}

/** A job in the queue. */
export interface EnqueuedJob {
  /** Its id. */
  readonly id: string
  /** False if an open job with the same key exists, whose id this is. */
  readonly isNew: boolean
}

export function createId(): string {
  return new mongo.ObjectId().toHexString()
}

// Adds a job unless one with its id or its key exists.
export async function insertJob(
  store: Store,
  job: NewJob,
  session?: ClientSession,
): Promise<EnqueuedJob> {
  const { due = 0, id = createId(), input, key, name, requestId, scheduledFor, traceparent } = job
  const unique = key === undefined ? undefined : `${name} ${key}`
  const fixed = {
    _id: id,
    name,
    state: 'waiting',
    attempt: 0,
    failures: 0,
    token: 0,
    input,
    unique,
    requestId,
    traceparent,
    scheduledFor,
  }
  const times = {
    due: typeof due === 'number' ? { $add: ['$$NOW', due] } : due,
    createdAt: '$$NOW',
  }
  const created = { $mergeObjects: [{ $literal: withoutUndefined(fixed) }, times] }
  const isMissing = { $eq: [{ $type: '$state' }, 'missing'] }
  const stored = await retryDuplicates(session ? 1 : 5, () =>
    store.jobs.findOneAndUpdate(
      unique === undefined ? { _id: id } : { unique },
      [{ $replaceWith: { $cond: [isMissing, created, '$$ROOT'] } }],
      {
        upsert: true,
        returnDocument: 'after',
        projection: { _id: 1 },
        ...(session && { session }),
      },
    ),
  )
  const storedId = stored?._id ?? id
  return { id: storedId, isNew: storedId === id }
}

function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

// Two processes that add the same key at the same moment: the second attempt finds the job of the other.
async function retryDuplicates<Result>(
  attempts: number,
  insert: () => Promise<Result>,
): Promise<Result> {
  try {
    return await insert()
  } catch (error) {
    if (attempts <= 1 || !isDuplicateKey(error)) throw error
    return retryDuplicates(attempts - 1, insert)
  }
}
