import { decode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { isIdentical } from '../keys/compare.ts'
import { type Change, type SchemaChange } from '../storage/view.ts'
import { type ChangeEvent } from './change-log.ts'

export function toEventDocument(
  event: ChangeEvent,
  token: Doc,
  lookUp: ((change: Change) => Doc | null) | undefined,
): Doc {
  const { what, time, wallTime } = event
  const head = { _id: token, operationType: operationOf(what), clusterTime: time, wallTime }
  if ('kind' in what) return { ...head, ...schemaFields(what) }
  const { before, after, replaced, namespace } = what
  const ns = toNs(namespace)
  const doc = after && decode(after)
  const old = before && decode(before)
  const documentKey = { _id: (doc ?? old)?.['_id'] }
  if (doc && old && !replaced) {
    const fullDocument = lookUp ? { fullDocument: lookUp(what) } : {}
    return {
      ...head,
      ...fullDocument,
      ns,
      documentKey,
      updateDescription: describeUpdate(old, doc),
    }
  }
  return { ...head, ...(doc ? { fullDocument: doc } : {}), ns, documentKey }
}

function operationOf(what: Change | SchemaChange): string {
  if ('kind' in what) return what.kind
  if (!what.before) return 'insert'
  if (!what.after) return 'delete'
  return what.replaced ? 'replace' : 'update'
}

function schemaFields(what: SchemaChange): Doc {
  if (what.kind === 'dropDatabase') return { ns: { db: what.database } }
  if (what.kind === 'drop') return { ns: toNs(what.namespace) }
  return { ns: toNs(what.namespace), to: toNs(what.to) }
}

function toNs(namespace: string): Doc {
  const dot = namespace.indexOf('.')
  return { db: namespace.slice(0, dot), coll: namespace.slice(dot + 1) }
}

interface UpdateDescription {
  updatedFields: Doc
  removedFields: string[]
  truncatedArrays: { field: string; newSize: number }[]
}

function describeUpdate(before: Doc, after: Doc): UpdateDescription {
  const description = { updatedFields: {}, removedFields: [], truncatedArrays: [] }
  compareDocuments({ before, after, path: '' }, description)
  return description
}

interface Pair<T> {
  before: T
  after: T
  path: string
}

function compareDocuments({ before, after, path }: Pair<Doc>, found: UpdateDescription): void {
  for (const field of Object.keys(before)) {
    if (!(field in after)) found.removedFields.push(path + field)
  }
  for (const [field, value] of Object.entries(after)) {
    compareValues({ before: before[field], after: value, path: path + field }, found)
  }
}

function compareValues({ before, after, path }: Pair<unknown>, found: UpdateDescription): void {
  if (isIdentical(before, after)) return
  if (isDocument(before) && isDocument(after)) {
    compareDocuments({ before, after, path: `${path}.` }, found)
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareArrays({ before, after, path }, found)
  } else {
    found.updatedFields[path] = after
  }
}

function compareArrays({ before, after, path }: Pair<unknown[]>, found: UpdateDescription): void {
  if (after.length === 0) {
    found.updatedFields[path] = after
    return
  }
  if (after.length < before.length) {
    found.truncatedArrays.push({ field: path, newSize: after.length })
  }
  for (const [position, value] of after.entries()) {
    compareValues({ before: before[position], after: value, path: `${path}.${position}` }, found)
  }
}

export type StreamScope =
  | { kind: 'collection'; namespace: string }
  | { kind: 'database'; database: string }
  | { kind: 'cluster' }

export function isInScope(scope: StreamScope, event: ChangeEvent): boolean {
  if (scope.kind === 'cluster') return true
  const { what } = event
  const namespace = 'database' in what ? `${what.database}.` : what.namespace
  if (scope.kind === 'collection') return namespace === scope.namespace
  return namespace.startsWith(`${scope.database}.`)
}

export function isEnd(scope: StreamScope, event: ChangeEvent): boolean {
  const { what } = event
  if (!('kind' in what) || scope.kind === 'cluster') return false
  return scope.kind === 'collection' || what.kind === 'dropDatabase'
}
