import { type ClientSession, mongo } from 'mongoose'
import { currentCaller } from '../logging/request-context.ts'
import { type AuditKeys } from './audit-key.ts'
import {
  type AuditEntryRecord,
  type AuditHeadRecord,
  type AuditStore,
  hashEntry,
  sealHead,
  toSealed,
  toDocumentKey,
} from './audit-store.ts'

export interface Chain {
  readonly store: AuditStore
  readonly keys: AuditKeys
  readonly session: ClientSession
}

export interface NewEntry extends Pick<
  AuditEntryRecord,
  'action' | 'changes' | 'erased' | 'version'
> {
  readonly collection: string
  readonly id: unknown
}

// Adds an entry to the chain of a document. Two transactions that add one conflict in its head, so that one of them is repeated.
export async function appendEntry(
  { keys, session, store }: Chain,
  { collection, id, ...entry }: NewEntry,
): Promise<void> {
  const document = toDocumentKey(collection, id)
  const head = await touchHead({ keys, session, store }, document)
  const { caller: ids, requestId } = currentCaller()
  const { tenant: organization, ...others } = ids ?? {}
  const caller = ids && defined({ ...others, organization })
  const { current } = keys
  const { first, hash: previous, sequence: last } = head
  const values: Omit<AuditEntryRecord, 'hash'> = {
    _id: new mongo.ObjectId(),
    document,
    sequence: last + 1,
    collection,
    at: head.at,
    ...defined({ ...entry, caller, requestId }),
    ...(head.isTrusted ? {} : { afterFault: true }),
    previous,
    ...defined({ key: current.id }),
  }
  const hash = hashEntry(current, values)
  await store.entries.insertOne({ ...values, hash }, { session })
  const end = toSealed(current, { _id: document, sequence: last + 1, hash, ...defined({ first }) })
  await store.heads.replaceOne({ _id: document }, end, { session })
}

interface End extends Pick<AuditHeadRecord, 'first' | 'hash' | 'sequence'> {
  readonly at: Date
  /** Whether it is what the service has signed. */
  readonly isTrusted: boolean
}

// The end of the chain, and the time of the database.
async function touchHead({ keys, session, store }: Chain, document: string): Promise<End> {
  // The time is in the head only until the end of the transaction.
  const head = await store.heads.findOneAndUpdate({ _id: document }, [{ $set: { at: '$$NOW' } }], {
    upsert: true,
    returnDocument: 'after',
    session,
  })
  if (!head) throw new Error('The database has not returned the document that it has stored.')
  const { at = new Date(), first, hash, seal, sequence } = head
  if (isSealed(keys, head)) return { at, hash, sequence, ...(first && { first }), isTrusted: true }
  // A new document has no entries. Otherwise its head was changed or removed: go on behind the last entry.
  const last = await store.entries.findOne({ document }, { sort: { sequence: -1 }, session })
  if (last) return { at, hash: last.hash, sequence: last.sequence, isTrusted: false }
  return { at, hash: '', sequence: 0, isTrusted: seal === undefined }
}

export function isSealed(keys: AuditKeys, head: AuditHeadRecord): boolean {
  const key = keys.find(head.key)
  return key !== undefined && head.seal === sealHead(key, head)
}

function defined<T extends object>(values: T): T {
  const known = Object.entries(values).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only absent members are left out
  return Object.fromEntries(known) as T
}
