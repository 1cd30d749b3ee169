import { AsyncLocalStorage } from 'node:async_hooks'
import mongoose, {
  type Connection,
  Model,
  type mongo,
  type Mongoose,
  Query,
  Schema,
} from 'mongoose'
import { type AnyModel } from './model.ts'

// Which models can be read by commands of the driver: those whose queries Mongoose would only cast and send. Whatever
// observes or changes a query or its result makes Mongoose run it.

type Database = NonNullable<Connection['db']>

// What observes every query replaces them.
const methods = ['countDocuments', 'find', 'findOne']
const originals = methods.map((name): unknown => Reflect.get(Model, name))
const run: unknown = Reflect.get(Query.prototype, 'exec')

// For tests, which run both ways.
const isOff = process.env['CREATE_API_READS'] === 'mongoose'

// The database to read a model from; undefined if Mongoose has to run its queries.
export function toDirectDatabase<T>(model: AnyModel<T>): Database | undefined {
  if (isOff || Reflect.get(Query.prototype, 'exec') !== run || !isPlainModel(model))
    return undefined
  const { db: connection, base } = model
  const { db } = connection
  if (
    connection.readyState !== mongoose.ConnectionStates.connected ||
    !db ||
    isObserved(connection, base)
  )
    return undefined
  return isInTransaction(base) || !isPlainDatabase(db, connection.getClient()) ? undefined : db
}

function isPlainModel<T>(model: AnyModel<T>): boolean {
  return (
    methods.every((name, at) => Reflect.get(model, name) === originals[at]) &&
    model.baseModelName === undefined &&
    model.discriminators === undefined &&
    isPlainSchema(model.schema)
  )
}

const plainSchemas = new WeakMap<Schema, boolean>()

function isPlainSchema(schema: Schema): boolean {
  const known = plainSchemas.get(schema)
  if (known !== undefined) return known
  const isPlain = findsHooks() && !isHooked(schema) && !hasQueryOptions(schema)
  plainSchemas.set(schema, isPlain)
  return isPlain
}

const operations = ['countDocuments', 'exec', 'find', 'findOne']

// Undefined if this release of Mongoose keeps its hooks elsewhere.
function isHooked(schema: Schema): boolean | undefined {
  const hooks: unknown = Object(Reflect.get(schema, 's')).hooks
  const { hasHooks } = Object(hooks)
  if (typeof hasHooks !== 'function') return undefined
  return operations.some((name) => Reflect.apply(hasHooks, hooks, [name]) === true)
}

let isHookFound: boolean | undefined

// Mongoose has no public way to ask for the hooks of a schema, so the private one is tried first.
function findsHooks(): boolean {
  isHookFound ??=
    isHooked(new Schema({ name: String }, { timestamps: true })) === false &&
    operations.every((name) => isHooked(withHook(name, 'pre')) && isHooked(withHook(name, 'post')))
  return isHookFound
}

function withHook(name: string, time: 'pre' | 'post'): Schema {
  const schema = new Schema({ name: String })
  Reflect.apply(schema[time], schema, [name, () => undefined])
  return schema
}

// Options of a schema, and of its fields, that change how it is read.
function hasQueryOptions(schema: Schema): boolean {
  const { collation, encryptionType, read, readConcern } = Object(schema.options)
  if (collation || encryptionType || read || readConcern) return true
  return Object.values(schema.paths).some(
    ({ options, schema: inner }) =>
      options['select'] !== undefined || (inner !== undefined && hasQueryOptions(inner)),
  )
}

function isObserved(connection: Connection, base: Mongoose): boolean {
  return (
    Boolean(connection.get('debug') ?? base.get('debug')) ||
    Boolean(connection.get('sanitizeFilter') ?? base.get('sanitizeFilter')) ||
    Boolean(connection.get('allowDiskUse') ?? base.get('allowDiskUse')) ||
    Boolean(base.get('translateAliases')) ||
    connection.listenerCount('operation-start') > 0 ||
    connection.listenerCount('operation-end') > 0
  )
}

// Queries of a transaction get its session from there.
function isInTransaction(base: Mongoose): boolean {
  if (!base.get('transactionAsyncLocalStorage')) return false
  const storage: unknown = Reflect.get(base, 'transactionAsyncLocalStorage')
  return !(storage instanceof AsyncLocalStorage) || storage.getStore() !== undefined
}

const plainDatabases = new WeakMap<Database, boolean>()

function isPlainDatabase(db: Database, client: mongo.MongoClient): boolean {
  const known = plainDatabases.get(db)
  if (known !== undefined) return known
  const isPlain =
    db.readConcern === undefined &&
    client.options.autoEncryption === undefined &&
    hasDefaults(db.bsonOptions)
  plainDatabases.set(db, isPlain)
  return isPlain
}

// The driver converts values in other ways with other options.
function hasDefaults(options: mongo.BSONSerializeOptions): boolean {
  const {
    raw,
    useBigInt64,
    promoteBuffers,
    bsonRegExp,
    ignoreUndefined,
    fieldsAsRaw = {},
  } = options
  const { promoteLongs, promoteValues, enableUtf8Validation } = options
  return (
    ![raw, useBigInt64, promoteBuffers, bsonRegExp, ignoreUndefined].includes(true) &&
    ![promoteLongs, promoteValues, enableUtf8Validation].includes(false) &&
    Object.keys(fieldsAsRaw).length === 0
  )
}
