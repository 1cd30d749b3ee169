import { type RecordedValues } from '../resource/recorded-values.ts'
import { appendEntry } from './append-entry.ts'
import { type Audited } from './audited.ts'
import {
  type AuditEntryRecord,
  type StoredChange,
  type StoredValue,
  toDocumentKey,
} from './audit-store.ts'
import { toEntry } from './list-entries.ts'

// The values of a model in its audit trail. The chains stay verifiable: they contain digests.
export function createRecordedValues(audited: Audited): RecordedValues {
  const { name: collection } = audited.model.collection
  const { store } = audited
  return {
    async findByValue(path, values) {
      const any = { $in: [...values] }
      const isValue = [{ 'before.value': any }, { 'after.value': any }]
      const documents = await store.entries.distinct('document', {
        collection,
        changes: { $elemMatch: { path, $or: isValue } },
      })
      return documents.map((document) => document.slice(collection.length + 1))
    },
    async erase(ids, paths) {
      let count = 0
      for (const id of ids) count += await eraseDocument(audited, id, paths)
      return count
    },
    async *listBy(user) {
      const entries = store.entries.find({ collection, 'caller.user': user }, { sort: { at: 1 } })
      for await (const entry of entries) {
        yield toEntry(entry, ({ path }) => ({ path }))
      }
    },
  }
}

// The values and the entry that says so are one transaction. Returns the number of entries with such values.
function eraseDocument(
  { keys, model, store }: Audited,
  id: string,
  paths: readonly string[] | undefined,
): Promise<number> {
  const { name: collection } = model.collection
  const document = toDocumentKey(collection, id)
  const isErased = (path: string): boolean =>
    paths?.some((one) => path === one || path.startsWith(`${one}.`)) ?? true
  return store.connection.transaction(async (session) => {
    const erased: number[] = []
    for await (const entry of store.entries.find({ document }, { session })) {
      const changes = entry.changes.map((change) =>
        isErased(change.path) ? erase(change) : change,
      )
      if (!changes.some((change, at) => change !== entry.changes[at])) continue
      const set: Partial<AuditEntryRecord> = { changes }
      await store.entries.updateOne({ _id: entry._id }, { $set: set }, { session })
      erased.push(entry.sequence)
    }
    if (erased.length > 0) {
      const entry = { collection, id, action: 'erased', changes: [], erased } as const
      await appendEntry({ store, keys, session }, entry)
    }
    return erased.length
  })
}

// Returns the change itself if it has no values.
function erase(change: StoredChange): StoredChange {
  const { after, before } = change
  if (!hasValue(before) && !hasValue(after)) return change
  return {
    ...change,
    ...(before && { before: withoutValue(before) }),
    ...(after && { after: withoutValue(after) }),
  }
}

function hasValue(stored: StoredValue | undefined): boolean {
  return stored !== undefined && 'value' in stored
}

function withoutValue(stored: StoredValue): StoredValue {
  return 'masked' in stored ? stored : { digest: stored.digest }
}
