import { type InferSchemaType, type Query, type Schema, type Types } from 'mongoose'
import { isRecord } from '../json/plain.ts'
import { type AnyModel, hasPlugin } from './model.ts'

/** A stored document of a schema: its fields, the id and the version. */
export type Stored<S> = StoredDocument<InferSchemaType<S>>

/** A stored document with these fields; its id is an ObjectId unless a field `_id` has another type. */
export type StoredDocument<T> = Omit<T, '_id' | '__v'> & StoredFields<IdOf<T>>

/** The fields that MongoDB and Mongoose add to every document. */
export interface StoredFields<Id = Types.ObjectId> {
  /** The id. */
  _id: Id
  /** The version, which the plugin `versioned` maintains. */
  __v: number
}

type IdOf<T> = '_id' extends keyof T ? NonNullable<T['_id']> : Types.ObjectId

/**
 * Mongoose plugin that maintains the version of a document in `__v`. Every update through the model
 * increments it, an update that changes nothing leaves it and `updatedAt` as they are, and `save()`
 * fails if the document has changed since it was read. Mongoose alone increments it only in
 * `save()`, and only for some changes of arrays.
 * @param schema - the schema
 * @example
 * ```ts
 * const postSchema = new Schema({ title: String }, { timestamps: true }).plugin(versioned)
 * ```
 */
export function versioned(schema: Schema): void {
  schema.set('optimisticConcurrency', true)
  // Registered after Mongoose's own hook for timestamps, so the update is complete here.
  schema.pre(['findOneAndUpdate', 'updateOne', 'updateMany'], countVersion)
}

function countVersion(this: Query<unknown, unknown>): void {
  const { timestamps } = this.model.schema.options
  const update = this.getUpdate()
  if (Array.isArray(update)) {
    this.setUpdate([...update, { $set: { __v: { $add: ['$__v', 1] } } }])
  } else if (update && !changesAnything(update, toTimestampNames(timestamps))) {
    this.setUpdate({})
  } else {
    increment(this)
  }
}

// Whether a hook is the one that counts versions.
export function isVersionHook(hook: unknown): boolean {
  return hook === countVersion
}

// Whether the plugin counts the versions of a model.
export function isVersioned<T>(model: AnyModel<T>): boolean {
  return hasPlugin(model, versioned)
}

function increment(query: Query<unknown, unknown>): void {
  const update = query.getUpdate()
  if (!update || Array.isArray(update)) return
  const touched = Object.values(update).some((change) => isRecord(change) && '__v' in change)
  if (!touched) query.setUpdate({ ...update, $inc: { ...update.$inc, __v: 1 } })
}

function changesAnything(update: object, ignored: readonly string[]): boolean {
  return Object.entries(update).some(([key, change]) => {
    if (!key.startsWith('$')) return !ignored.includes(key)
    return isRecord(change) && Object.keys(change).some((field) => !ignored.includes(field))
  })
}

function toTimestampNames(timestamps: Schema['options']['timestamps']): string[] {
  // Without them, fields of these names are those of the application.
  if (!timestamps) return []
  const names = typeof timestamps === 'object' ? timestamps : {}
  return [names.createdAt, names.updatedAt].map((name, index) =>
    typeof name === 'string' ? name : (['createdAt', 'updatedAt'][index] ?? ''),
  )
}
