import { majority } from '@create-api/core/internal/jobs'
import mongoose, { type Connection, type mongo } from 'mongoose'
import { type JobRecord } from './job-record.ts'

/** An event as it is stored. */
export interface EventRecord {
  readonly _id: string
  readonly name: string
  readonly data: unknown
  /** `new` until its handlers have a job each. */
  readonly state: 'new' | 'dispatched'
  readonly at: Date
  readonly key?: string
  /** Increases with each event of the key. */
  readonly position?: number
  readonly requestId?: string
  readonly caller?: EventCaller
  readonly traceparent?: string
  readonly removeAt?: Date
}

/** Who has caused an event. */
export interface EventCaller {
  /** Id of the user. */
  readonly user?: string
  /** Id of the API key. */
  readonly apiKey?: string
  /** Id of the organization. */
  readonly tenant?: string
}

interface KeyRecord {
  readonly _id: string
  readonly position: number
  readonly at: Date
}

export interface ScheduleRecord {
  readonly _id: string
  readonly pattern: string
  readonly next: Date
}

interface ControlRecord {
  readonly _id: string
  readonly paused: boolean
}

/** The collections of the queue. */
export interface Store {
  readonly connection: Connection
  readonly db: mongo.Db
  readonly jobs: mongo.Collection<JobRecord>
  readonly events: mongo.Collection<EventRecord>
  readonly keys: mongo.Collection<KeyRecord>
  readonly schedules: mongo.Collection<ScheduleRecord>
  readonly controls: mongo.Collection<ControlRecord>
}

export const collections = {
  jobs: 'queue_jobs',
  events: 'outbox_events',
  keys: 'outbox_keys',
  schedules: 'queue_schedules',
  controls: 'queue_controls',
} as const

// Without an owner in the filter of an API, Mongoose's own connection.
export function openStore(connection: Connection = mongoose.connection): Store {
  const { db } = connection
  if (!db) {
    throw new Error('Mongoose is not connected. Start the API first, or use withDatabase(api, …).')
  }
  // Other members may not know of a lease yet.
  const options: mongo.CollectionOptions = {
    writeConcern: majority.writeConcern,
    readPreference: 'primary',
    ignoreUndefined: true,
  }
  return {
    connection,
    db,
    jobs: db.collection<JobRecord>(collections.jobs, options),
    events: db.collection<EventRecord>(collections.events, options),
    keys: db.collection<KeyRecord>(collections.keys, options),
    schedules: db.collection<ScheduleRecord>(collections.schedules, options),
    controls: db.collection<ControlRecord>(collections.controls, options),
  }
}

const dayInSeconds = 86_400

export async function buildIndexes({ events, jobs, keys }: Store): Promise<void> {
  await jobs.createIndexes([
    { key: { name: 1, due: 1 }, partialFilterExpression: { due: { $exists: true } } },
    { key: { unique: 1 }, unique: true, partialFilterExpression: { unique: { $exists: true } } },
    {
      key: { group: 1, state: 1, position: 1 },
      partialFilterExpression: { group: { $exists: true } },
    },
    { key: { state: 1, name: 1 } },
    { key: { removeAt: 1 }, expireAfterSeconds: 0 },
  ])
  await events.createIndexes([
    { key: { state: 1, key: 1, position: 1 }, partialFilterExpression: { state: 'new' } },
    { key: { removeAt: 1 }, expireAfterSeconds: 0 },
  ])
  await keys.createIndex({ at: 1 }, { expireAfterSeconds: dayInSeconds })
}
