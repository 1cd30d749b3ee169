import { type Connection, mongo } from 'mongoose'
import { toServerCode } from '../errors/from-database-error.ts'
import { type BsonValue, bsonTypes, findElement } from '../json/bson.ts'
import { toDirectDatabase } from './direct-models.ts'
import { type Condition } from './filter-parameters.ts'
import { type Sort } from './list-query.ts'
import { type AnyModel } from './model.ts'
import { mayShareCommands, type ReadLane, readLaneOf } from './shared-commands.ts'

// The commands of the driver that read. Undefined where Mongoose has to run the query.

// What every command of a read has.
export interface Read {
  readonly db: NonNullable<Connection['db']>
  readonly collection: string
  /** With values of the schema's types. */
  readonly filter: Condition
  readonly limits: { readonly maxTimeMS?: number }
  /** Undefined if the read is for itself. */
  readonly lane: ReadLane | undefined
}

export interface Selection {
  readonly projection: Record<string, 1> | null
  readonly sort?: Sort
  readonly skip?: number
  readonly limit: number
  readonly collation?: mongo.CollationOptions | undefined
}

// What the database found.
export interface Batch {
  /** A list in BSON. */
  readonly documents: BsonValue
  /** False if there is more than one reply can hold. */
  readonly isComplete: boolean
}

export function toRead<T>(
  model: AnyModel<T>,
  own: Condition,
  kind: 'find' | 'findOne' | 'count',
): Read | undefined {
  const db = toDirectDatabase(model)
  if (!db) return undefined
  const query = model.find(own)
  query.cast(model)
  const maxTimeMS: unknown = model.db.get('maxTimeMS') ?? model.base.get('maxTimeMS')
  const collection = model.collection.name
  return {
    db,
    collection,
    filter: query.getFilter(),
    limits: typeof maxTimeMS === 'number' ? { maxTimeMS } : {},
    lane: mayShareCommands(model) ? readLaneOf(db, `${kind} ${collection}`) : undefined,
  }
}

export function toFind(read: Read, { projection, sort, ...selection }: Selection): mongo.Document {
  const { collection, filter, limits } = read
  const { collation, limit, skip } = selection
  return {
    find: collection,
    filter,
    ...(projection && { projection }),
    ...(sort && { sort: Object.fromEntries(sort) }),
    ...(skip && { skip }),
    limit,
    // One more than the limit, or the server would leave the cursor open.
    batchSize: limit + 1,
    ...(collation && { collation }),
    ...limits,
  }
}

// Equal reads of one turn get the same batch.
export async function find(read: Read, selection: Selection): Promise<Batch | undefined> {
  const command = toFind(read, selection)
  return share(read, command, () => sendFind(read, command))
}

export async function sendFind(read: Read, command: mongo.Document): Promise<Batch | undefined> {
  const reply = await send(read, command, { raw: true })
  const bytes: unknown = reply?.['cursor']
  if (!Buffer.isBuffer(bytes)) return undefined
  const cursor = { bytes, text: bytes.toString('latin1'), type: bsonTypes.object, at: 0 }
  const [id, documents] = [findElement(cursor, 'id'), findElement(cursor, 'firstBatch')]
  if (!id || !documents) return undefined
  const open = bytes.readBigInt64LE(id.at)
  if (open === 0n) return { documents, isComplete: true }
  // A cursor that is not closed now ends after ten minutes.
  const { collection, db } = read
  await db.command({ killCursors: collection, cursors: [open] }).catch(() => undefined)
  return { documents, isComplete: false }
}

// How many documents match.
export async function count(
  read: Read,
  collation: mongo.CollationOptions | undefined,
): Promise<number | undefined> {
  const { collection, filter, limits } = read
  // The command of the driver's `countDocuments`.
  const command = {
    aggregate: collection,
    pipeline: [{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }],
    cursor: {},
    ...(collation && { collation }),
    ...limits,
  }
  const reply = await share(read, command, () => send(read, command))
  return reply && (reply['cursor'].firstBatch[0]?.n ?? 0)
}

function share<Found>(
  { db, lane }: Read,
  command: mongo.Document,
  run: () => Promise<Found>,
): Promise<Found> {
  if (!lane) return run()
  return lane.isIdle ? lane.run(run) : lane.share({ key: toKey(db, command), run })
}

// The bytes that are sent: equal ones find the same.
export function toKey({ bsonOptions }: Read['db'], command: mongo.Document): string {
  // The driver sends undefined as null by default, but would serialize nothing here.
  const { ignoreUndefined = false } = bsonOptions
  return Buffer.from(mongo.BSON.serialize(command, { ignoreUndefined })).toString('latin1')
}

async function send(
  { db }: Read,
  command: mongo.Document,
  options: mongo.RunCommandOptions = {},
): Promise<mongo.Document | undefined> {
  try {
    return await db.command(command, { ...options, readPreference: db.readPreference })
  } catch (error) {
    if (mayRetry(error)) return undefined
    throw error
  }
}

const maxTimeExpired = 50

// The driver repeats a query after a fault of the network or the server, but no command. Mongoose's query is the repetition.
function mayRetry(error: unknown): boolean {
  return (
    error instanceof mongo.MongoNetworkError ||
    (error instanceof mongo.MongoServerError && toServerCode(error) !== maxTimeExpired)
  )
}
