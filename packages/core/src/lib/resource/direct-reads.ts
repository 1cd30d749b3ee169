import { type mongo } from 'mongoose'
import { type BsonValue, eachElement } from '../json/bson.ts'
import { toStoredValue } from '../json/stored-value.ts'
import { count, find, type Read, type Selection, toRead } from './direct-commands.ts'
import { type Condition } from './filter-parameters.ts'
import { findById, toTarget } from './find-by-id.ts'
import { type AnyModel } from './model.ts'
import { type StoredDocument } from './versioned.ts'

// Reads by commands of the driver: they take half the time of Mongoose's queries, and the documents stay BSON until they
// are used. Undefined where Mongoose has to run the query.

// A query for one document.
export interface OneQuery extends Pick<Selection, 'projection'> {
  readonly filter: Condition
}

// A query for several.
export interface ListedQuery extends Selection {
  readonly filter: Condition
}

export async function findDirectly<T>(
  model: AnyModel<T>,
  { filter, ...selection }: ListedQuery,
): Promise<T[] | undefined> {
  const read = toRead(model, filter, 'find')
  const batch = read && (await find(read, selection))
  if (batch?.isComplete !== true) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the collection of the model holds its documents
  return toStoredValue(batch.documents) as T[]
}

export async function findOneDirectly<T>(
  model: AnyModel<T>,
  { filter, projection }: OneQuery,
): Promise<StoredDocument<T> | null | undefined> {
  const read = toRead(model, filter, 'findOne')
  if (!read) return undefined
  const target = toTarget(read)
  const found = await (target
    ? findById(target, projection)
    : findFirst(read, { projection, limit: 1 }))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the collection of the model holds its documents
  return found && (toStoredValue(found) as StoredDocument<T>)
}

async function findFirst(read: Read, selection: Selection): Promise<BsonValue | null | undefined> {
  const batch = await find(read, selection)
  if (!batch) return undefined
  let first: BsonValue | null = null
  eachElement(batch.documents, (_name, document) => {
    first = document
  })
  return first
}

export async function countDirectly<T>(
  model: AnyModel<T>,
  filter: Condition,
  collation: mongo.CollationOptions | undefined,
): Promise<number | undefined> {
  const read = toRead(model, filter, 'count')
  return read && count(read, collation)
}
