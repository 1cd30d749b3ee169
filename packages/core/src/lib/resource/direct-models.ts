import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import mongoose, {
  type Connection,
  Model,
  type mongo,
  Mongoose,
  Query,
  Schema,
  type SchemaType,
} from 'mongoose'
import { type AnyModel } from './model.ts'
import { isVersionHook } from './versioned.ts'

// Which models can be read and written by commands of the driver: those whose queries and documents Mongoose would only cast
// and send. Whatever observes or changes one of them makes Mongoose do it.

type Database = NonNullable<Connection['db']>

// What observes every query replaces them.
const methods = ['countDocuments', 'find', 'findOne']
const originals = methods.map((name): unknown => Reflect.get(Model, name))
const run: unknown = Reflect.get(Query.prototype, 'exec')
const save: unknown = Reflect.get(Model.prototype, 'save')

// The channels on which Mongoose reports what it does.
const tracedQueries = tracingChannel('mongoose:query')
const tracedSaves = tracingChannel('mongoose:model:save')

// For tests, which run both ways.
const isOff = process.env['CREATE_API_READS'] === 'mongoose'

// The database to read a model from; undefined if Mongoose has to run its queries.
export function toDirectDatabase<T>(model: AnyModel<T>): Database | undefined {
  if (isOff || Reflect.get(Query.prototype, 'exec') !== run || tracedQueries.hasSubscribers)
    return undefined
  return isPlainModel(model) && !isInTransaction(model.base) ? toPlainDatabase(model) : undefined
}

// Undefined if something observes or changes the commands of the connection.
export function toPlainDatabase<T>({ db: connection, base }: AnyModel<T>): Database | undefined {
  const { db, readyState } = connection
  if (readyState !== mongoose.ConnectionStates.connected || !db || isObserved(connection, base))
    return undefined
  return isPlainDatabase(db, connection.getClient()) ? db : undefined
}

// Whether a new document can be validated and inserted without `save()`.
export function insertsDirectly<T>(model: AnyModel<T>): boolean {
  const { base, schema } = model
  if (isOff || Reflect.get(model.prototype, 'save') !== save || tracedSaves.hasSubscribers)
    return false
  if (model.listenerCount('save') > 0 || model.listenerCount('error') > 0) return false
  return !hasDiscriminators(model) && !isInTransaction(base) && isInsertable(schema)
}

export type ChangeOperation = 'findOneAndDelete' | 'findOneAndUpdate'

const changeMethods = {
  findOneAndDelete: Reflect.get(Model, 'findOneAndDelete') as unknown,
  findOneAndUpdate: Reflect.get(Model, 'findOneAndUpdate') as unknown,
}

// Whether a document can be changed or deleted without a query of Mongoose.
export function changesDirectly<T>(model: AnyModel<T>, operation: ChangeOperation): boolean {
  return (
    toDirectDatabase(model) !== undefined &&
    Reflect.get(model, operation) === changeMethods[operation] &&
    isChangeable(model.schema, operation)
  )
}

const changeable = {
  findOneAndDelete: new WeakMap<Schema, boolean>(),
  findOneAndUpdate: new WeakMap<Schema, boolean>(),
}

function isChangeable(schema: Schema, operation: ChangeOperation): boolean {
  const known = changeable[operation].get(schema)
  if (known !== undefined) return known
  const inner = toSchemas(schema)
  const isKnown =
    findsHooks() &&
    !hasOwnHooks(schema, [operation, 'validate']) &&
    ![schema, ...inner].some(hasSaveOptions) &&
    !inner.some(({ options }) => options.timestamps)
  changeable[operation].set(schema, isKnown)
  return isKnown
}

function hasDiscriminators<T>({ baseModelName, discriminators }: AnyModel<T>): boolean {
  return baseModelName !== undefined || discriminators !== undefined
}

const insertable = new WeakMap<Schema, boolean>()

function isInsertable(schema: Schema): boolean {
  const known = insertable.get(schema)
  if (known !== undefined) return known
  const inner = toSchemas(schema)
  const isKnown =
    findsHooks() &&
    ![schema, ...inner].some((own) => isSaveHooked(own) || hasSaveOptions(own)) &&
    !inner.some(({ options }) => options.timestamps)
  insertable.set(schema, isKnown)
  return isKnown
}

// Mongoose marks its own hooks.
const builtIn = Symbol.for('mongoose:built-in-middleware')

function isSaveHooked(schema: Schema): boolean {
  return hasOwnHooks(schema, ['save'])
}

// Hooks that are neither Mongoose's nor those of versions, which changes without a query count, too.
function hasOwnHooks(schema: Schema, names: readonly string[]): boolean {
  const hooks: unknown = Object(Reflect.get(schema, 's')).hooks
  const own = Object(hooks).filter(
    ({ fn }: { fn: object }) => !Reflect.get(fn, builtIn) && !isVersionHook(fn),
  )
  return names.some((name) => own.hasHooks(name) === true)
}

// Options that change how `save()` stores documents, or the error of a duplicate.
function hasSaveOptions(schema: Schema): boolean {
  const { timestamps, validateBeforeSave, validateModifiedOnly, writeConcern } = Object(
    schema.options,
  )
  if (writeConcern || validateModifiedOnly || validateBeforeSave !== true) return true
  if (timestamps !== undefined && timestamps !== true && timestamps !== false) return true
  return Object.values(schema.paths).some(({ options }) => hasMessage(options['unique']))
}

function hasMessage(unique: unknown): boolean {
  return Boolean(unique) && unique !== true
}

// The schemas of subdocuments, at all depths: a schema may contain itself.
function toSchemas(schema: Schema): Schema[] {
  const found = new Set<Schema>()
  const visit = (own: Schema | undefined): void => {
    if (!own || own === schema || found.has(own)) return
    found.add(own)
    visitParts(own)
  }
  const visitParts = ({ discriminators = {}, paths }: Schema): void => {
    for (const type of Object.values(paths).flatMap(withItems)) visit(type.schema)
    for (const own of Object.values(discriminators)) visit(own)
  }
  visitParts(schema)
  return [...found]
}

// The type of a field, and of the items of a list.
function withItems(type: SchemaType): SchemaType[] {
  const item = type.getEmbeddedSchemaType()
  return item ? [type, ...withItems(item)] : [type]
}

function isPlainModel<T>(model: AnyModel<T>): boolean {
  return (
    methods.every((name, at) => Reflect.get(model, name) === originals[at]) &&
    !hasDiscriminators(model) &&
    isPlainSchema(model.schema)
  )
}

const plainSchemas = new WeakMap<Schema, boolean>()

function isPlainSchema(schema: Schema): boolean {
  const known = plainSchemas.get(schema)
  if (known !== undefined) return known
  const isPlain =
    findsHooks() && !isHooked(schema) && ![schema, ...toSchemas(schema)].some(hasQueryOptions)
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
    operations.every(
      (name) => isHooked(withHook(name, 'pre')) && isHooked(withHook(name, 'post')),
    ) &&
    !isSaveHooked(new Mongoose().model('Plain', new Schema({}, { timestamps: true })).schema) &&
    isSaveHooked(withHook('save', 'pre')) &&
    isSaveHooked(withHook('save', 'post'))
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
  return Object.values(schema.paths)
    .flatMap(withItems)
    .some(({ options }) => options['select'] !== undefined)
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
