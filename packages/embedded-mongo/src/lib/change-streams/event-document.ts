import { createHash } from 'node:crypto'
import { Binary, Long } from 'bson'
import { decode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { type Change, type Origin, type SchemaChange } from '../storage/view.ts'
import { type ChangeEvent } from './change-log.ts'
import { describeUpdate } from './describe-update.ts'

// The digest of an empty name.
const noUser = new Binary(createHash('sha256').digest())

export interface EventShape {
  // Whether events say more, and further kinds are reported.
  isExpanded: boolean
  // Of an update: undefined leaves the field out.
  fullDocument(change: Change): Doc | null | undefined
  // Of an update, a replacement or a delete: undefined leaves the field out.
  fullDocumentBeforeChange(change: Change): Doc | null | undefined
}

export function toEventDocument(event: ChangeEvent, token: Doc, shape: EventShape): Doc {
  const { what, time, wallTime, origin } = event
  const head = { _id: token, operationType: operationOf(what), clusterTime: time, wallTime }
  const uuid =
    shape.isExpanded && 'uuid' in what ? { collectionUUID: new Binary(what.uuid, 4) } : {}
  const body = 'kind' in what ? schemaFields(what, shape) : documentFields(what, shape)
  return { ...head, ...uuid, ...(origin ? transactionFields(origin) : {}), ...body }
}

function transactionFields({ session, number }: Origin): Doc {
  const id = new Binary(Buffer.from(session, 'latin1'), Binary.SUBTYPE_UUID)
  return { txnNumber: Long.fromBigInt(number), lsid: { id, uid: noUser } }
}

function documentFields(change: Change, shape: EventShape): Doc {
  const { before, after, replaced, namespace } = change
  const doc = after && decode(after)
  const old = before && decode(before)
  const ns = toNs(namespace)
  const documentKey = { _id: (doc ?? old)?.['_id'] }
  const isUpdate = doc && old && !replaced
  const fullDocument = isUpdate ? shape.fullDocument(change) : doc
  const preImage = old && shape.fullDocumentBeforeChange(change)
  return {
    ...optional('fullDocument', fullDocument),
    ns,
    documentKey,
    ...optional('updateDescription', isUpdate && toDescription(old, doc, shape)),
    ...optional('fullDocumentBeforeChange', preImage),
  }
}

function optional(name: string, value: unknown): Doc {
  return value === undefined || value === false ? {} : { [name]: value }
}

function toDescription(before: Doc, after: Doc, { isExpanded }: EventShape): Doc {
  const { disambiguatedPaths, ...described } = describeUpdate(before, after)
  return isExpanded ? { ...described, disambiguatedPaths } : described
}

function operationOf(what: Change | SchemaChange): string {
  if ('kind' in what) return what.kind
  if (!what.before) return 'insert'
  if (!what.after) return 'delete'
  return what.replaced ? 'replace' : 'update'
}

function schemaFields(what: SchemaChange, { isExpanded }: EventShape): Doc {
  if (what.kind === 'dropDatabase') return { ns: { db: what.database } }
  const { namespace, to, description } = what
  return {
    ns: toNs(namespace),
    ...(to === undefined ? {} : { to: toNs(to) }),
    ...(isExpanded && description ? { operationDescription: description } : {}),
  }
}

export function toNs(namespace: string): Doc {
  const dot = namespace.indexOf('.')
  return { db: namespace.slice(0, dot), coll: namespace.slice(dot + 1) }
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

const ends = ['drop', 'rename', 'dropDatabase']

// Whether only expanded streams report it.
export function isExpandedEvent({ what }: ChangeEvent): boolean {
  return 'kind' in what && !ends.includes(what.kind)
}

export function isEnd(scope: StreamScope, event: ChangeEvent): boolean {
  const { what } = event
  if (!('kind' in what) || isExpandedEvent(event) || scope.kind === 'cluster') return false
  return scope.kind === 'collection' || what.kind === 'dropDatabase'
}
