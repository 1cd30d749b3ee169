import { type Connection, type mongo, Schema } from 'mongoose'
import { toText } from './canonical.ts'
import { type AuditKey } from './audit-key.ts'

/** An action on a document. */
export type AuditAction = 'created' | 'changed' | 'deleted' | 'restored' | 'erased'

/** Who made a change; without members, the service itself. */
export interface AuditCaller {
  /** Id of the user. */
  readonly user?: string
  /** Id of the API key. */
  readonly apiKey?: string
  /** Id of the organization of the request. */
  readonly organization?: string
}

// A value before or after a change. The chain contains its digest, so that value and salt can be erased.
export type StoredValue =
  | { readonly masked: true }
  | { readonly digest: string; readonly value?: unknown; readonly salt?: string }

export interface StoredChange {
  readonly path: string
  readonly before?: StoredValue
  readonly after?: StoredValue
}

export interface AuditEntryRecord {
  readonly _id: mongo.ObjectId
  /** Collection and id of the document: `posts/65f0…`. */
  readonly document: string
  /** Position in the chain of the document, from 1. */
  readonly sequence: number
  readonly collection: string
  readonly at: Date
  readonly action: AuditAction
  readonly version?: number
  readonly caller?: AuditCaller
  readonly requestId?: string
  readonly changes: readonly StoredChange[]
  /** The entries whose values this one has erased. */
  readonly erased?: readonly number[]
  /** The entry was written while the end of the chain was not the one that the service had signed. */
  readonly afterFault?: true
  /** Hash of the entry before; empty for the first one. */
  readonly previous: string
  /** Id of the key. */
  readonly key?: string
  readonly hash: string
}

/** The end of the chain of a document. */
export interface AuditHeadRecord {
  readonly _id: string
  readonly sequence: number
  readonly hash: string
  /** Where the chain begins after older entries were removed. */
  readonly first?: { readonly sequence: number; readonly previous: string }
  readonly key?: string
  readonly seal: string
  /** The time of the database, while an entry is being added. */
  readonly at?: Date
}

export interface AuditStore {
  readonly connection: Connection
  readonly entries: mongo.Collection<AuditEntryRecord>
  readonly heads: mongo.Collection<AuditHeadRecord>
}

export const entryModelName = 'AuditEntry'
const headModelName = 'AuditHead'

// Models, so that their indexes are built with those of the application.
export function openAuditStore(connection: Connection): AuditStore {
  const { models } = connection
  const entries = models[entryModelName] ?? connection.model(entryModelName, entrySchema())
  const heads = models[headModelName] ?? connection.model(headModelName, headSchema())
  // oxlint-disable typescript/no-unsafe-type-assertion -- the collections that only this folder writes
  return {
    connection,
    entries: entries.collection as unknown as AuditStore['entries'],
    heads: heads.collection as unknown as AuditStore['heads'],
  }
  // oxlint-enable typescript/no-unsafe-type-assertion
}

function entrySchema(): Schema {
  const { Mixed } = Schema.Types
  const schema = new Schema(
    {
      document: String,
      sequence: Number,
      collection: String,
      at: Date,
      action: String,
      version: Number,
      caller: { user: String, apiKey: String, organization: String },
      requestId: String,
      changes: [Mixed],
    },
    { collection: 'audit_entries', versionKey: false, suppressReservedKeysWarning: true },
  )
  schema.index({ document: 1, sequence: 1 }, { unique: true })
  schema.index({ collection: 1, at: 1 })
  schema.index({ 'caller.user': 1, at: 1 })
  return schema
}

function headSchema(): Schema {
  return new Schema(
    { _id: String, sequence: Number },
    { collection: 'audit_heads', versionKey: false },
  )
}

export function toDocumentKey(collection: string, id: unknown): string {
  return `${collection}/${String(id)}`
}

// A condition on the keys of all documents of a collection.
export function ofCollection(collection: string): object {
  return { $gte: `${collection}/`, $lt: `${collection}0` }
}

// The hash of an entry: of all that is stored of it but values, whose digests it contains.
export function hashEntry(key: AuditKey, entry: Omit<AuditEntryRecord, 'hash'>): string {
  const changes = entry.changes.map((change) => ({
    ...change,
    ...(change.before && { before: withoutValue(change.before) }),
    ...(change.after && { after: withoutValue(change.after) }),
  }))
  return key.sign(toText({ ...entry, changes }))
}

function withoutValue(stored: StoredValue): object {
  const members = Object.entries(stored)
  return Object.fromEntries(members.filter(([name]) => name !== 'value' && name !== 'salt'))
}

// A head with its seal.
export function toSealed(
  { id, ...key }: AuditKey,
  { _id, first, hash, sequence }: Omit<AuditHeadRecord, 'seal' | 'key'>,
): AuditHeadRecord {
  const end = { _id, sequence, hash, ...(first && { first }) }
  return { ...end, seal: sealHead({ id, ...key }, end), ...(id !== undefined && { key: id }) }
}

export function sealHead(
  key: AuditKey,
  { _id, first, hash, sequence }: Pick<AuditHeadRecord, '_id' | 'first' | 'hash' | 'sequence'>,
): string {
  return key.sign(toText({ head: _id, sequence, hash, first: first ?? null }))
}
