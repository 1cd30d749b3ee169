import { isDeepStrictEqual } from 'node:util'
import mongoose, { Mongoose, type Query, type QueryFilter, Schema, type SchemaType } from 'mongoose'
import { changesDirectly } from './direct-models.ts'
import { type AnyModel } from './model.ts'
import { keepsDeleted } from './soft-delete.ts'
import { type Update } from './update.ts'
import { isVersioned, type StoredDocument } from './versioned.ts'

// Changes of documents without running a query of Mongoose: its hooks and validators take as long as the command of the
// database. Undefined where Mongoose has to run it, because something observes it or because it would reject the change.

type Cast = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Change {
  readonly filter: object
  /** With values of the schema's types. */
  readonly update: Cast
}

export async function changeDirectly<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  changes: Update,
): Promise<StoredDocument<T> | null | undefined> {
  if (!changesDirectly(model, 'findOneAndUpdate') || !castsUpdates()) return undefined
  const change = toChange(model, filter, changes)
  if (!change) return undefined
  const maxTimeMS: unknown = model.db.get('maxTimeMS') ?? model.base.get('maxTimeMS')
  const limits = typeof maxTimeMS === 'number' ? { maxTimeMS } : {}
  const options = { ...limits, returnDocument: 'after' } as const
  const found: unknown = await model.collection.findOneAndUpdate(
    change.filter,
    change.update,
    options,
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the collection of the model holds its documents
  return found as StoredDocument<T> | null
}

// Whether a document was deleted.
export async function deleteDirectly<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
): Promise<boolean | undefined> {
  if (keepsDeleted(model) || !changesDirectly(model, 'findOneAndDelete')) return undefined
  const query = model.find(filter)
  query.cast(model)
  const { deletedCount } = await model.collection.deleteOne(query.getFilter())
  return deletedCount > 0
}

// Times and version are added as the hooks of Mongoose and of the plugin do it.
function toChange<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  changes: Update,
): Change | undefined {
  const { timestamps, versionKey } = model.schema.options
  const names = Object.keys({ ...changes.$set, ...changes.$unset })
  if (names.length === 0 || !names.every((name) => isPlainField(model, name))) return undefined
  const isCounted = isVersioned(model) || versionKey === '__v'
  const $set = { ...changes.$set, ...(timestamps && { updatedAt: model.base.now() }) }
  // Casting changes the update.
  const update: object = {
    ...(Object.keys($set).length > 0 && { $set }),
    ...(changes.$unset && { $unset: { ...changes.$unset } }),
    ...(isCounted && { $inc: { __v: 1 } }),
  }
  const query = model.findOneAndUpdate(filter, update)
  try {
    query.cast(model)
    const cast = castUpdate(query, update)
    const sizes = Object.values(cast).map((part) => Object.keys(part).length)
    if (sizes.length === 0 || sizes.includes(0) || !isValid(query, cast)) return undefined
    return { filter: query.getFilter(), update: cast }
  } catch {
    // Mongoose throws it again.
    return undefined
  }
}

type AnyChange = Query<unknown, unknown>

function castUpdate(query: AnyChange, update: object): Cast {
  const cast: unknown = Reflect.get(query, '_castUpdate')
  return Reflect.apply(Object(cast), query, [update]) ?? { $set: {} }
}

let isCastFound: boolean | undefined

// Mongoose has no public way to cast an update, so the private one is tried first.
function castsUpdates(): boolean {
  isCastFound ??= triesToCast()
  return isCastFound
}

function triesToCast(): boolean {
  const schema = new Schema({ count: Number, fixed: { type: String, immutable: true } })
  const query = new Mongoose().model('Tried', schema).findOneAndUpdate({}, {})
  try {
    const cast = castUpdate(query, {
      $set: { count: '1', fixed: 'new', unknown: true },
      $unset: { count: true },
    })
    return isDeepStrictEqual(cast, { $set: { count: 1 }, $unset: { count: true } })
  } catch {
    return false
  }
}

function isValid(query: AnyChange, { $set = {}, $unset = {} }: Cast): boolean {
  return (
    Object.entries($set).every(([path, value]) => accepts(query, path, value)) &&
    Object.keys($unset).every((path) => accepts(query, path, undefined))
  )
}

// Those of Mongoose, which have no effect and can be run again.
const knownValidators = new Set([
  'enum',
  'max',
  'maxlength',
  'min',
  'minlength',
  'regexp',
  'required',
])

function accepts(query: AnyChange, path: string, value: unknown): boolean {
  const type: SchemaType | undefined = query.model.schema.path(path)
  if (!type) return true
  return type.validators.every(({ type: kind, validator }) => {
    if (value === undefined && kind !== 'required') return true
    const result: unknown = Reflect.apply(Object(validator), query, [value])
    // That of an enum returns a number; a promise is left to Mongoose.
    return result === undefined || (Boolean(result) && !(result instanceof Promise))
  })
}

// Mongoose derives one time from the other, and counts the version once.
const serverFields = new Set(['_id', '__v', 'createdAt', 'updatedAt'])

// Not subdocuments, nested objects and fields with validators of the application.
function isPlainField<T>({ schema }: AnyModel<T>, name: string): boolean {
  const type: SchemaType | undefined = schema.path(name)
  if (!type || serverFields.has(name) || name.includes('.') || !isPlainType(type)) return false
  const items = type.getEmbeddedSchemaType()
  return (
    type.validators.every(({ type: kind = '' }) => knownValidators.has(kind)) &&
    (!items ||
      (isPlainType(items) && items.validators.length === 0 && !items.getEmbeddedSchemaType()))
  )
}

// Types with members override it, because they validate the members, too.
function isPlainType(type: SchemaType): boolean {
  const base: object = mongoose.SchemaType.prototype
  return Reflect.get(type, 'doValidate') === Reflect.get(base, 'doValidate')
}
