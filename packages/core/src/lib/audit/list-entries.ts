import { toPlain } from '../json/plain.ts'
import {
  type AuditAction,
  type AuditCaller,
  type AuditEntryRecord,
  type StoredChange,
  type StoredValue,
  toDocumentKey,
} from './audit-store.ts'
import { chooseAudited } from './verify-audit.ts'

/** The change of one field, as JSON. */
export interface AuditChange {
  /** Path of the field, such as `title` or `address.city`. */
  readonly path: string
  /** The value before; absent if there was none, or it is not shown. */
  readonly before?: unknown
  /** The value after; absent if there is none, or it is not shown. */
  readonly after?: unknown
  /** Why values are not shown: `masked`, the trail or the caller hides them; `erased`, they were erased. */
  readonly hidden?: 'masked' | 'erased' | undefined
}

/** An entry of the audit trail. */
export interface AuditEntry {
  /** Collection of the document. */
  readonly collection: string
  /** Id of the document, as text. */
  readonly id: string
  /** Position in the chain of the document, from 1. */
  readonly sequence: number
  /** When, by the clock of the database. */
  readonly at: Date
  /** The action. */
  readonly action: AuditAction
  /** Version of the document after the change, as in its ETag. */
  readonly version?: number | undefined
  /** Who did it; undefined for the service itself. */
  readonly caller?: AuditCaller | undefined
  /** Id of the request. */
  readonly requestId?: string | undefined
  /** The fields that differ. */
  readonly changes: readonly AuditChange[]
}

/** Which entries {@link listAuditEntries} returns. */
export interface AuditFilter {
  /**
   * Collection of the documents, such as `posts`, or name of their model.
   * @default all collections with audited models
   */
  readonly collection?: string | undefined
  /**
   * Id of one document; needs `collection`.
   * @default all documents
   */
  readonly id?: string | undefined
  /**
   * Id of the user who made the changes.
   * @default all callers
   */
  readonly user?: string | undefined
  /**
   * Number of entries.
   * @default 20
   */
  readonly limit?: number | undefined
}

/**
 * Lists the latest entries of the audit trail, whatever a caller may read.
 * @param filter - collection, document and caller
 * @returns the entries, the latest first
 * @throws Error when no model is audited, or none with this collection
 * @example
 * ```ts
 * const entries = await listAuditEntries({ collection: 'posts', id })
 * ```
 */
export async function listAuditEntries(filter: AuditFilter = {}): Promise<AuditEntry[]> {
  const { collection, id, limit = 20, user } = filter
  const found = await Promise.all(
    chooseAudited(collection).map(async ({ model, store }) => {
      const { name } = model.collection
      const conditions = {
        collection: name,
        ...(id !== undefined && { document: toDocumentKey(name, id) }),
        ...(user !== undefined && { 'caller.user': user }),
      }
      return store.entries.find(conditions, { sort: { at: -1, sequence: -1 }, limit }).toArray()
    }),
  )
  return found
    .flat()
    .toSorted((one, other) => Number(other.at) - Number(one.at) || other.sequence - one.sequence)
    .slice(0, limit)
    .map((entry) => toEntry(entry))
}

// An entry without what makes it part of a chain.
export function toEntry(
  entry: AuditEntryRecord,
  toShown: (change: StoredChange) => AuditChange = (change) => toChange(change, toJson),
): AuditEntry {
  const { action, at, caller, changes, collection, document, requestId, sequence, version } = entry
  return {
    collection,
    id: document.slice(collection.length + 1),
    sequence,
    at,
    action,
    ...(version !== undefined && { version }),
    ...(caller && { caller }),
    ...(requestId !== undefined && { requestId }),
    changes: changes.map(toShown),
  }
}

const toJson = (_path: string, value: unknown): unknown => toPlain(value)

export function toChange(
  { after, before, path }: StoredChange,
  show: (path: string, value: unknown) => unknown,
): AuditChange {
  const states = [before, after].map(toState)
  const hidden = states.find((state) => state !== undefined)
  return {
    path,
    ...(hidden && { hidden }),
    ...(before && 'value' in before && { before: show(path, before.value) }),
    ...(after && 'value' in after && { after: show(path, after.value) }),
  }
}

function toState(stored: StoredValue | undefined): AuditChange['hidden'] {
  if (!stored) return undefined
  return 'masked' in stored ? 'masked' : 'value' in stored ? undefined : 'erased'
}
