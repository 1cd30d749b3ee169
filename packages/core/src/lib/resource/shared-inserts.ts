import mongoose, { mongo, type Schema } from 'mongoose'
import { type AnyModel } from './model.ts'
import { Lane, mayShareCommands } from './shared-commands.ts'

// Documents that are inserted into one collection in one turn are one command. One that the database refuses is inserted
// again by itself, so that it gets its own error and the others are stored.

export async function insertStored<T>(model: AnyModel<T>, document: object): Promise<void> {
  const { collection } = model
  const insertOne = (): Promise<unknown> => collection.insertOne(document)
  const lane = toLane(model)
  if (lane?.isIdle) await lane.run(insertOne)
  else if (!lane || isLarge(document)) await insertOne()
  else {
    const refused = await lane.share({
      key: 'insert',
      item: [document, document],
      run: (documents) => insertAll(collection, documents),
    })
    if (refused.has(document)) await insertOne()
  }
}

type Collection = AnyModel<unknown>['collection']

const lanes = new WeakMap<Collection, Lane<object>>()

// Undefined if the document waits for no others.
function toLane<T>(model: AnyModel<T>): Lane<object> | undefined {
  const { collection, db, schema } = model
  if (db.readyState !== mongoose.ConnectionStates.connected) return undefined
  if (isUnique(schema) || !mayShareCommands(model)) return undefined
  let lane = lanes.get(collection)
  if (!lane) lanes.set(collection, (lane = new Lane()))
  return lane
}

const unique = new WeakMap<Schema, boolean>()

// A document whose key is that of an open transaction waits until it ends.
function isUnique(schema: Schema): boolean {
  let isKnown = unique.get(schema)
  if (isKnown === undefined) {
    isKnown = schema.indexes().some(([, options]) => Boolean(options.unique))
    unique.set(schema, isKnown)
  }
  return isKnown
}

const largeSize = 65_536

// Others do not wait for a document of this size, or for one that cannot be sent.
function isLarge(document: object): boolean {
  try {
    return mongo.BSON.calculateObjectSize(document) > largeSize
  } catch {
    return true
  }
}

// Those that the database refused.
async function insertAll(
  collection: Collection,
  documents: readonly object[],
): Promise<ReadonlySet<object>> {
  try {
    await collection.insertMany([...documents], { ordered: false })
    return new Set()
  } catch (error) {
    // Nothing was sent.
    if (!(error instanceof mongo.MongoBulkWriteError)) return new Set(documents)
    const { errorResponse, result } = error
    // That of the connection, as for a single document.
    if (errorResponse instanceof Error) throw errorResponse
    const concern = result.getWriteConcernError()
    if (concern) throw new mongo.MongoServerError(concern.toJSON())
    if (!result.hasWriteErrors()) throw error
    return new Set(result.getWriteErrors().flatMap(({ index }) => documents[index] ?? []))
  }
}
