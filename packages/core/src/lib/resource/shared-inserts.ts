import { mongo, type Schema } from 'mongoose'
import { isDuplicateKey } from '../errors/from-database-error.ts'
import { toPlainDatabase } from './direct-models.ts'
import { type AnyModel } from './model.ts'
import { Lane, mayShareCommands } from './shared-commands.ts'

// Documents that are inserted into one collection in one turn are one command. Each that the database refuses has its own
// error, and the others are stored.

export async function insertTogether<T>(model: AnyModel<T>, document: object): Promise<void> {
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
    const error = refused.get(document)
    // Only the error of a single insert names the keys.
    if (isDuplicateKey(error)) await insertOne()
    else if (error) throw error
  }
}

type Collection = AnyModel<unknown>['collection']

const lanes = new WeakMap<Collection, Lane<object>>()

// Undefined if the document waits for no others.
function toLane<T>(model: AnyModel<T>): Lane<object> | undefined {
  const { collection, schema } = model
  if (isUnique(schema) || !toPlainDatabase(model) || !mayShareCommands(model)) return undefined
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
    return mongo.BSON.serialize(document).length > largeSize
  } catch {
    return true
  }
}

// The errors of those that the database refused.
async function insertAll(
  collection: Collection,
  documents: readonly object[],
): Promise<ReadonlyMap<object, mongo.MongoServerError>> {
  try {
    await collection.insertMany([...documents], { ordered: false })
    return new Map()
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error
    const writeConcernError = error.result.getWriteConcernError()?.toJSON()
    if (writeConcernError) throw new mongo.MongoWriteConcernError({ ok: 1, writeConcernError })
    const refusals = [error.writeErrors].flat()
    if (refusals.length === 0) throw toOwnError(error)
    return new Map(
      refusals.flatMap(({ code, errmsg, errInfo, index }) => {
        const document = documents[index]
        return document ? [[document, new mongo.MongoServerError({ code, errmsg, errInfo })]] : []
      }),
    )
  }
}

// That of the whole command, as for a single document.
function toOwnError({ errorLabels, errorResponse }: mongo.MongoBulkWriteError): Error {
  if (errorResponse instanceof Error) return errorResponse
  return new mongo.MongoServerError({ ...errorResponse, errorLabels: [...errorLabels] })
}
