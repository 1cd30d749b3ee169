import { Document, Types } from 'mongoose'
import { insertsDirectly } from './direct-models.ts'
import { type AnyModel } from './model.ts'
import { insertTogether } from './shared-inserts.ts'
import { type StoredDocument } from './versioned.ts'

// The part of a new Mongoose document that is used: names that no field has.
interface NewDocument {
  get(path: string): unknown
  $isDefault(path: string): boolean
  save(): Promise<unknown>
  $set(path: string, value: unknown): unknown
  $validate(): Promise<unknown>
}

// The method of all documents: a field may have its name.
function toStored(document: NewDocument): object {
  return Document.prototype.toBSON.call(document)
}

// A document as a lean query returns it: plugins and the options of the schema may have populated it, or give `toObject()`
// another form.
export function toLean<T>(document: NewDocument): StoredDocument<T> {
  const read: unknown = Document.prototype.toObject.call(document, asRead)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document has the schema of its model
  return read as StoredDocument<T>
}

const asRead = {
  depopulate: true,
  flattenDecimals: false,
  flattenMaps: true,
  flattenObjectIds: false,
  getters: false,
  transform: false,
  useProjection: false,
  versionKey: true,
  virtuals: false,
}

// Stores a new document. `save()` takes as long as the insert itself, for what only a later `save()` of the same object
// needs; so it is called only where something observes it.
export async function insertDocument<T>(model: AnyModel<T>, document: NewDocument): Promise<void> {
  if (!insertsDirectly(model) || hasTimestamps(document) || document.get('_id') === undefined) {
    await document.save()
    return
  }
  const { timestamps, versionKey } = model.schema.options
  await document.$validate()
  if (timestamps) {
    const now = model.base.now()
    document.$set('createdAt', now)
    document.$set('updatedAt', now)
  }
  if (typeof versionKey === 'string') document.$set(versionKey, 0)
  const stored = { ...toStored(document) }
  await (hasOwnKey(document) ? insertTogether(model, stored) : model.collection.insertOne(stored))
}

// One that no other document has.
function hasOwnKey(document: NewDocument): boolean {
  return document.$isDefault('_id') && document.get('_id') instanceof Types.ObjectId
}

// Those that the input has: Mongoose derives one from the other.
function hasTimestamps(document: NewDocument): boolean {
  return ['createdAt', 'updatedAt'].some((name) => document.get(name) !== undefined)
}
