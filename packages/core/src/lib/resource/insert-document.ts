import { Document } from 'mongoose'
import { insertsDirectly } from './direct-models.ts'
import { type AnyModel } from './model.ts'
import { insertStored } from './shared-inserts.ts'

// The part of a new Mongoose document that is used: names that no field has.
interface NewDocument {
  get(path: string): unknown
  save(): Promise<unknown>
  $set(path: string, value: unknown): unknown
  $validate(): Promise<unknown>
}

// The method of all documents: a field may have its name.
function toStored(document: NewDocument): object {
  return Document.prototype.toBSON.call(document)
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
  await insertStored(model, { ...toStored(document) })
}

// Those that the input has: Mongoose derives one from the other.
function hasTimestamps(document: NewDocument): boolean {
  return ['createdAt', 'updatedAt'].some((name) => document.get(name) !== undefined)
}
