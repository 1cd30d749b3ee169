import { finished } from 'node:stream/promises'
import { buffer } from 'node:stream/consumers'
import {
  type AbstractCursor,
  type ChangeStream,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type GridFSBucket,
  type MongoClient,
} from 'mongodb'
import { type Entities } from './entities.ts'
import { type Operation } from './spec-file.ts'

/** Runs operations on entities of the driver; callbacks run in turn what `runAll` runs. */
export interface OperationContext {
  entities: Entities
  /** Runs the operations of a transaction's callback, and rejects with what an operation gave. */
  runAll: (operations: Operation[]) => Promise<void>
}

type Run<T> = (target: T, args: Document, context: OperationContext) => unknown
type Table<T> = Readonly<Record<string, Run<T>>>

/** What an operation of this name and kind of object returns. */
export async function runOnEntity(
  operation: Operation,
  context: OperationContext,
): Promise<unknown> {
  const { entities } = context
  const target = entities.find(operation.object)
  const table: Table<never> = tables[target.kind] ?? {}
  const run = table[operation.name]
  if (!run) throw new UnsupportedOperation(`${operation.name} of a ${target.kind}`)
  const args = entities.toOptions(operation.arguments ?? {})
  return run(unwrap(target) as never, args, context)
}

/** The driver, or this runner, has no such operation. */
export class UnsupportedOperation extends Error {}

function unwrap(target: ReturnType<Entities['find']>): unknown {
  if (target.kind === 'client') return target.value.client
  if (target.kind === 'session') return target.value.session
  return target.value
}

const client: Table<MongoClient> = {
  clientBulkWrite: (target, { models, ...options }) =>
    target.bulkWrite(models.map(toClientModel), options),
  close: (target) => target.close(),
  createChangeStream: (target, { pipeline, ...options }) => open(target.watch(pipeline, options)),
  listDatabaseNames: async (target, options) => {
    const { databases } = await target
      .db()
      .admin()
      .listDatabases({ ...options, nameOnly: true })
    return databases.map(({ name }) => name)
  },
  listDatabases: async (target, options) =>
    (await target.db().admin().listDatabases(options)).databases,
}

const database: Table<Db> = {
  aggregate: (target, { pipeline, ...options }) => target.aggregate(pipeline, options).toArray(),
  createChangeStream: (target, { pipeline, ...options }) => open(target.watch(pipeline, options)),
  createCollection: (target, { collection: name, ...options }) =>
    target.createCollection(name, options),
  createCommandCursor: (target, args) => open(commandCursor(target, args)),
  dropCollection: (target, { collection: name, ...options }) =>
    target.dropCollection(name, options),
  listCollectionNames: async (target, { filter, ...options }) => {
    const found = await target.listCollections(filter, { ...options, nameOnly: true }).toArray()
    return found.map(({ name }) => name)
  },
  listCollections: (target, { filter, ...options }) =>
    target.listCollections(filter, options).toArray(),
  modifyCollection: (target, { collection: name, session, ...options }) =>
    target.command({ collMod: name, ...options }, { session }),
  runCommand: (target, { command, ...options }) => target.command(command, options),
  runCursorCommand: (target, args) => commandCursor(target, args).toArray(),
}

const collection: Table<Collection> = {
  aggregate: (target, { pipeline, ...options }) => target.aggregate(pipeline, options).toArray(),
  bulkWrite: (target, { requests, ...options }) => target.bulkWrite(requests, options),
  count: (target, { filter, ...options }) => target.count(filter, options),
  countDocuments: (target, { filter, ...options }) => target.countDocuments(filter, options),
  createChangeStream: (target, { pipeline, ...options }) => open(target.watch(pipeline, options)),
  createFindCursor: (target, { filter, ...options }) => open(target.find(filter, options)),
  createIndex: (target, { keys, ...options }) => target.createIndex(keys, options),
  createSearchIndex: (target, { model }) => target.createSearchIndex(model),
  createSearchIndexes: (target, { models }) => target.createSearchIndexes(models),
  deleteMany: (target, { filter, ...options }) => target.deleteMany(filter, options),
  deleteOne: (target, { filter, ...options }) => target.deleteOne(filter, options),
  distinct: (target, { fieldName, filter, ...options }) =>
    target.distinct(fieldName, filter, options),
  drop: (target, options) => target.drop(options),
  dropIndex: (target, { name, ...options }) => target.dropIndex(name, options),
  dropIndexes: (target, options) => target.dropIndexes(options),
  dropSearchIndex: (target, { name }) => target.dropSearchIndex(name),
  estimatedDocumentCount: (target, options) => target.estimatedDocumentCount(options),
  find: (target, { filter, ...options }) => target.find(filter, options).toArray(),
  findOne: (target, { filter, ...options }) => target.findOne(filter, options),
  findOneAndDelete: (target, { filter, ...options }) => target.findOneAndDelete(filter, options),
  findOneAndReplace: (target, { filter, replacement, ...options }) =>
    target.findOneAndReplace(filter, replacement, toReturn(options)),
  findOneAndUpdate: (target, { filter, update, ...options }) =>
    target.findOneAndUpdate(filter, update, toReturn(options)),
  insertMany: (target, { documents, ...options }) => target.insertMany(documents, options),
  insertOne: (target, { document, ...options }) => target.insertOne(document, options),
  listIndexNames: async (target, options) =>
    (await target.listIndexes(options).toArray()).map(({ name }) => name),
  listIndexes: (target, options) => target.listIndexes(options).toArray(),
  listSearchIndexes: (target, { name, aggregationOptions }) =>
    (name === undefined
      ? target.listSearchIndexes(aggregationOptions)
      : target.listSearchIndexes(name, aggregationOptions)
    ).toArray(),
  rename: async (target, { to, ...options }) => {
    await target.rename(to, options)
  },
  replaceOne: (target, { filter, replacement, ...options }) =>
    target.replaceOne(filter, replacement, options),
  updateMany: (target, { filter, update, ...options }) =>
    target.updateMany(filter, update, options),
  updateOne: (target, { filter, update, ...options }) => target.updateOne(filter, update, options),
  updateSearchIndex: (target, { name, definition }) => target.updateSearchIndex(name, definition),
}

const bucket: Table<GridFSBucket> = {
  delete: (target, { id }) => target.delete(id),
  download: (target, { id }) => buffer(target.openDownloadStream(id)),
  downloadByName: (target, { filename, ...options }) =>
    buffer(target.openDownloadStreamByName(filename, options)),
  rename: (target, { id, newFilename }) => target.rename(id, newFilename),
  upload: async (target, { filename, source, contentType, ...options }) => {
    const metadata = contentType === undefined ? {} : { metadata: { contentType } }
    const stream = target.openUploadStream(filename, { ...metadata, ...options })
    stream.end(Buffer.from(source['$$hexBytes'], 'hex'))
    await finished(stream)
    return stream.id
  },
}

const session: Table<ClientSession> = {
  abortTransaction: (target) => target.abortTransaction(),
  commitTransaction: (target) => target.commitTransaction(),
  endSession: (target) => target.endSession(),
  startTransaction: (target, options) => target.startTransaction(options),
  withTransaction: (target, { callback, ...options }, { runAll }) =>
    target.withTransaction(() => runAll(callback), options),
}

const cursor: Table<AbstractCursor | ChangeStream> = {
  close: (target) => target.close(),
  iterateOnce: (target) => target.tryNext(),
  iterateUntilDocumentOrError: (target) => target.next(),
}

const tables: Readonly<Record<string, Table<never>>> = {
  client,
  database,
  collection,
  bucket,
  session,
  cursor,
  changeStream: cursor,
}

interface Initial {
  cursorInit(): Promise<void>
}

// The driver opens a cursor at its first use, the tests at its creation; `cursorInit` is internal.
async function open<T extends AbstractCursor | ChangeStream>(target: T): Promise<T> {
  const inner: unknown = 'cursor' in target ? target.cursor : target
  await (inner as Initial).cursorInit()
  return target
}

function commandCursor(target: Db, args: Document): ReturnType<Db['runCursorCommand']> {
  const { command, batchSize, maxTimeMS, comment, ...options } = args
  const found = target.runCursorCommand(command, options)
  if (batchSize !== undefined) found.setBatchSize(batchSize)
  if (maxTimeMS !== undefined) found.setMaxTimeMS(maxTimeMS)
  if (comment !== undefined) found.setComment(comment)
  return found
}

function toReturn({ returnDocument, ...options }: Document): Document {
  if (returnDocument === undefined) return options
  return { ...options, returnDocument: String(returnDocument).toLowerCase() }
}

function toClientModel(model: Document): Document {
  const [[name, options] = []] = Object.entries(model)
  return { name, ...options }
}
