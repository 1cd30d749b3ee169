import { mongo } from 'mongoose'
import { toServerCode } from '../errors/from-database-error.ts'
import { toPlain } from '../json/plain.ts'
import { type AnyModel } from '../resource/model.ts'

// A change of a document, as the database reports it.
export interface Change {
  readonly id: unknown
  /** The id as text, to compare it. */
  readonly key: string
  readonly time: mongo.Timestamp
  readonly token: string
  /** The document before the change: undefined for a new one, null if the database has not kept it. */
  readonly before: mongo.Document | null | undefined
}

type Collection = mongo.Collection
type Stream = mongo.ChangeStream

export function toCollection({ collection, db, modelName }: AnyModel<unknown>): Collection {
  if (!db.db) throw new Error(`The connection of ${modelName} is not open.`)
  return db.db.collection(collection.name)
}

// Makes the database keep the documents before their changes. They show from which lists a document is gone.
export async function keepPreImages(model: AnyModel<unknown>): Promise<void> {
  const { db } = model.db
  const { name } = model.collection
  const changeStreamPreAndPostImages = { enabled: true }
  const [found] = (await db?.listCollections({ name }).toArray()) ?? []
  const options: mongo.Document = found && 'options' in found ? (found.options ?? {}) : {}
  if (options['changeStreamPreAndPostImages']?.enabled === true) return
  try {
    if (!found) await model.createCollection({ changeStreamPreAndPostImages })
    await db?.command({ collMod: name, changeStreamPreAndPostImages })
  } catch (cause) {
    throw new Error(
      `The collection '${name}' does not keep documents before their changes, which a live list needs, and the service could not change that. MongoDB 6.0 or newer is required. With the role dbAdmin, run: db.runCommand({ collMod: '${name}', changeStreamPreAndPostImages: { enabled: true } }).`,
      { cause },
    )
  }
}

// The time of the next change.
export async function findNextTime({ db }: AnyModel<unknown>['db']): Promise<mongo.Timestamp> {
  const time: unknown = (await db?.command({ ping: 1 }))?.['operationTime']
  if (time instanceof mongo.Timestamp) return new mongo.Timestamp({ t: time.t, i: time.i + 1 })
  throw new Error(
    'A live list needs the change streams of a MongoDB replica set, and this server is a standalone one.',
  )
}

// How long the database waits for a change before it replies.
const waitMs = 250

// Opens a stream of the changes at and after a time.
export function openStream(collection: Collection, startAtOperationTime: mongo.Timestamp): Stream {
  const pipeline = [
    { $project: { operationType: 1, documentKey: 1, clusterTime: 1, fullDocumentBeforeChange: 1 } },
  ]
  return collection.watch(pipeline, {
    startAtOperationTime,
    fullDocumentBeforeChange: 'whenAvailable',
    maxAwaitTimeMS: waitMs,
    // The documents go back to the database as they are.
    promoteValues: false,
    bsonRegExp: true,
  })
}

const kinds = ['insert', 'update', 'replace', 'delete']

// Undefined for the end of the collection.
export function toChange(event: mongo.Document): Change | undefined {
  const { _id, clusterTime, documentKey, fullDocumentBeforeChange, operationType } = event
  if (!kinds.includes(operationType)) return undefined
  const id = toId(documentKey._id)
  const before = operationType === 'insert' ? undefined : (fullDocumentBeforeChange ?? null)
  return { id, key: toKey(id), time: clusterTime, token: toToken(_id), before }
}

export function toKey(id: unknown): string {
  return JSON.stringify(toPlain(id))
}

function toId(id: unknown): unknown {
  if (id instanceof mongo.BSON.Int32 || id instanceof mongo.BSON.Double) return id.valueOf()
  if (!(id instanceof mongo.Long)) return id
  const value = id.toBigInt()
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

// The text of a resume token. The order of the texts is that of the changes.
export function toToken(token: unknown): string {
  return String(Object(token)['_data'] ?? '')
}

const lostCodes: unknown[] = [
  260, // InvalidResumeToken
  280, // ChangeStreamFatalError
  286, // ChangeStreamHistoryLost
]

export function isHistoryLost(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && lostCodes.includes(toServerCode(error))
}
