import { mongo } from 'mongoose'
import { type BsonValue, bsonTypes, eachElement, findElement, toBsonSize } from '../json/bson.ts'
import { type Read, type Selection, sendFind, toFind, toKey } from './direct-commands.ts'
import { type Condition } from './filter-parameters.ts'
import { type ReadLane } from './shared-commands.ts'

// Reads of single documents that differ only in the id are one query, whose documents are given to those who asked.

// A read of one document by its id.
export interface Target {
  readonly read: Read
  readonly lane: ReadLane
  readonly id: mongo.ObjectId
  /** The filter with another condition for the id. */
  readonly withId: (condition: object) => Condition
}

// Undefined if the read waits for no others; only ids of this type have a single form.
export function toTarget(read: Read): Target | undefined {
  const { db, filter, lane } = read
  if (!lane || lane.isIdle) return undefined
  const own = toOwnId(filter) ?? toLastId(filter)
  return own && !isKnownAsLarge(db, own.id) ? { read, lane, ...own } : undefined
}

type OwnId = Pick<Target, 'id' | 'withId'>

function toOwnId(filter: Condition): OwnId | undefined {
  const { _id: id } = filter
  if (!(id instanceof mongo.ObjectId)) return undefined
  return { id, withId: (condition) => ({ ...filter, _id: condition }) }
}

// The filter follows the scope.
function toLastId({ $and: parts, ...others }: Condition): OwnId | undefined {
  if (!Array.isArray(parts)) return undefined
  const own = toOwnId(Object(parts.at(-1)))
  if (!own) return undefined
  const scope = parts.slice(0, -1)
  return {
    id: own.id,
    withId: (condition) => ({ ...others, $and: [...scope, own.withId(condition)] }),
  }
}

// The document of the target, null if there is none; undefined where Mongoose has to find it.
export async function findById(
  { read, lane, id, withId }: Target,
  projection: Selection['projection'],
): Promise<BsonValue | null | undefined> {
  const toCommand = (condition: object, limit: number): mongo.Document =>
    toFind({ ...read, filter: withId(condition) }, { projection, limit })
  const text = id.toHexString()
  const found = await lane.share({
    key: toKey(read.db, toCommand({ $in: [] }, 0)),
    item: [text, id],
    async run(ids) {
      const [first, second] = ids
      if (first && !second) return findByIds(read, toCommand(first, 1))
      // It may be the error of one of them: each repeats its own.
      return findByIds(read, toCommand({ $in: ids }, ids.length)).catch(() => undefined)
    },
  })
  return found?.get(text) ?? (found?.isComplete === true ? null : undefined)
}

// Documents by their ids.
class Found extends Map<string, BsonValue> {
  isComplete = true
}

async function findByIds(read: Read, command: mongo.Document): Promise<Found | undefined> {
  const batch = await sendFind(read, command)
  if (!batch) return undefined
  const found = new Found()
  found.isComplete = batch.isComplete
  let isUnique = true
  eachElement(batch.documents, (_name, document) => {
    const id = readId(document)
    isUnique &&= id !== undefined && !found.has(id)
    if (id === undefined) return
    found.set(id, document)
    if (isLarge(document)) addLarge(read.db, id)
  })
  // In a view, documents may have the same id: then the limit may have cut off others.
  return isUnique ? found : undefined
}

function readId(document: BsonValue): string | undefined {
  const id = findElement(document, '_id')
  return id?.type === bsonTypes.objectId ? id.bytes.toString('hex', id.at, id.at + 12) : undefined
}

// A document of this size is read apart the next time, so that others do not wait for it.
const largeSize = 65_536
const maxLarge = 1000

const largeIds = new WeakMap<object, Set<string>>()

function isLarge({ bytes, type, at }: BsonValue): boolean {
  return toBsonSize(bytes, type, at) > largeSize
}

function isKnownAsLarge(db: object, id: mongo.ObjectId): boolean {
  return largeIds.get(db)?.has(id.toHexString()) === true
}

function addLarge(db: object, id: string): void {
  const ids = largeIds.get(db)
  if (ids && ids.size < maxLarge) ids.add(id)
  else largeIds.set(db, new Set([id]))
}
