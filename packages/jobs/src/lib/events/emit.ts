import { currentCaller, findSession } from '@create-api/core/internal/jobs'
import mongoose, { type ClientSession, type Connection } from 'mongoose'
import { createId } from '../queue/insert-job.ts'
import { readTraceparent } from '../queue/traceparent.ts'
import { type EventCaller, openStore, type Store } from '../queue/store.ts'
import { type Event } from './define-event.ts'

/** Options of {@link emit}. */
export interface EmitOptions {
  /**
   * The transaction that the event belongs to: it exists exactly if the transaction is committed.
   * @default the surrounding transaction, with `transactionAsyncLocalStorage` of Mongoose; else none
   */
  session?: ClientSession | undefined
  /**
   * The connection of the queue.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
}

/**
 * Stores an event, for the handlers that `on` has defined. Pass the session of the transaction that changes what the event is about.
 * @param event - the event
 * @param data - its data
 * @param options - session and connection
 * @returns id of the event
 * @throws JobError `job_input` when the data does not match the schema
 * @throws Error when Mongoose is not connected
 * @example
 * ```ts
 * await mongoose.connection.transaction(async (session) => {
 *   await PostModel.updateOne({ _id: postId }, { status: 'published' }, { session })
 *   await emit(postPublished, { postId }, { session })
 * })
 * ```
 */
export async function emit<Data>(
  event: Event<Data, unknown>,
  data: Data,
  options: EmitOptions = {},
): Promise<string> {
  event.parse(data)
  const { connection = mongoose.connection } = options
  const store = openStore(connection)
  const key = event.toKey(data)
  const values = { _id: createId(), name: event.name, data, state: 'new', key, ...readFacts() }
  const session = options.session ?? findSession(connection)
  // Position and event are two documents.
  if (session || key === undefined) await insert(store, values, session)
  else await connection.transaction((own) => insert(store, values, own))
  return values._id
}

interface NewEvent {
  readonly _id: string
  readonly key: string | undefined
}

async function insert(
  store: Store,
  values: NewEvent,
  session: ClientSession | undefined,
): Promise<void> {
  const position = values.key === undefined ? undefined : await nextPosition(store, values, session)
  const entries = Object.entries({ ...values, position })
  const known = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  await store.events.updateOne(
    { _id: values._id },
    [{ $replaceWith: { $mergeObjects: [{ $literal: known }, { at: '$$NOW' }] } }],
    { upsert: true, ...(session && { session }) },
  )
}

// Two transactions that emit events of one key conflict here, so that positions have the order of the commits. The time as a lower
// bound keeps the order when the document has expired in between.
async function nextPosition(
  { keys }: Store,
  { key = '' }: NewEvent,
  session: ClientSession | undefined,
): Promise<number> {
  const following = { $add: [{ $ifNull: ['$position', 0] }, 1] }
  const stored = await keys.findOneAndUpdate(
    { _id: key },
    [{ $set: { position: { $max: [following, { $toLong: '$$NOW' }] }, at: '$$NOW' } }],
    { upsert: true, returnDocument: 'after', ...(session && { session }) },
  )
  return Number(stored?.position)
}

interface Facts {
  readonly requestId: string | undefined
  readonly caller: EventCaller | undefined
  readonly traceparent: string | undefined
}

function readFacts(): Facts {
  return { ...currentCaller(), traceparent: readTraceparent() }
}
