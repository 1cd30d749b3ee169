import { mongo } from 'mongoose'
import { type BsonValue, bsonTypes, eachElement, findElement } from '../json/bson.ts'
import { toStoredValue } from '../json/stored-value.ts'
import { toDirectDatabase } from './direct-models.ts'
import { type Condition } from './filter-parameters.ts'
import { type Sort } from './list-query.ts'
import { type AnyModel } from './model.ts'
import { type StoredDocument } from './versioned.ts'

// Reads by commands of the driver: they take half the time of Mongoose's queries, and the documents stay BSON until they
// are used. Undefined where Mongoose has to run the query.

// A query for one document.
export interface OneQuery {
  readonly filter: Condition
  readonly projection: Record<string, 1> | null
}

// A query for several.
export interface ListedQuery extends OneQuery {
  readonly sort?: Sort
  readonly skip?: number
  readonly limit: number
  readonly collation?: mongo.CollationOptions | undefined
}

export async function findDirectly<T>(
  model: AnyModel<T>,
  query: ListedQuery,
): Promise<T[] | undefined> {
  const batch = await readBatch(model, query)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the collection of the model holds its documents
  return batch && (toStoredValue(batch) as T[])
}

export async function findOneDirectly<T>(
  model: AnyModel<T>,
  query: OneQuery,
): Promise<StoredDocument<T> | null | undefined> {
  const batch = await readBatch(model, { ...query, limit: 1 })
  if (!batch) return undefined
  let found: StoredDocument<T> | null = null
  eachElement(batch, (_name, document) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the collection of the model holds its documents
    found = toStoredValue(document) as StoredDocument<T>
  })
  return found
}

export async function countDirectly<T>(
  model: AnyModel<T>,
  filter: Condition,
  collation: mongo.CollationOptions | undefined,
): Promise<number | undefined> {
  // The command of the driver's `countDocuments`.
  const reply = await run(model, filter, (name, $match) => ({
    aggregate: name,
    pipeline: [{ $match }, { $group: { _id: 1, n: { $sum: 1 } } }],
    cursor: {},
    ...(collation && { collation }),
  }))
  return reply && (reply['cursor'].firstBatch[0]?.n ?? 0)
}

async function readBatch<T>(
  model: AnyModel<T>,
  { filter: own, projection, sort, ...query }: ListedQuery,
): Promise<BsonValue | undefined> {
  const { collation, limit, skip } = query
  const toCommand = (name: string, filter: object): mongo.Document => ({
    find: name,
    filter,
    ...(projection && { projection }),
    ...(sort && { sort: Object.fromEntries(sort) }),
    ...(skip && { skip }),
    limit,
    // One more than the limit, or the server would leave the cursor open.
    batchSize: limit + 1,
    ...(collation && { collation }),
  })
  const reply = await run(model, own, toCommand, { raw: true })
  const bytes: unknown = reply?.['cursor']
  if (!Buffer.isBuffer(bytes)) return undefined
  const cursor = { bytes, text: bytes.toString('latin1'), type: bsonTypes.object, at: 0 }
  const [id, batch] = [findElement(cursor, 'id'), findElement(cursor, 'firstBatch')]
  if (!id || !batch) return undefined
  const open = bytes.readBigInt64LE(id.at)
  if (open === 0n) return batch
  // The documents are larger than one reply can be. A cursor that is not closed now ends after ten minutes.
  const { collection } = model
  await model.db.db
    ?.command({ killCursors: collection.name, cursors: [open] })
    .catch(() => undefined)
  return undefined
}

async function run<T>(
  model: AnyModel<T>,
  filter: Condition,
  toCommand: (name: string, filter: object) => mongo.Document,
  options: mongo.RunCommandOptions = {},
): Promise<mongo.Document | undefined> {
  const db = toDirectDatabase(model)
  if (!db) return undefined
  const query = model.find(filter)
  query.cast(model)
  const maxTimeMS: unknown = model.db.get('maxTimeMS') ?? model.base.get('maxTimeMS')
  const command = {
    ...toCommand(model.collection.name, query.getFilter()),
    ...(typeof maxTimeMS === 'number' && { maxTimeMS }),
  }
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
    (error instanceof mongo.MongoServerError && error.code !== maxTimeExpired)
  )
}
