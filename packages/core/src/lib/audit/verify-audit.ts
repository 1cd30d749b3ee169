import { type ClientSession } from 'mongoose'
import { isSealed } from './append-entry.ts'
import { type Audited, listAudited } from './audited.ts'
import { type AuditKeys } from './audit-key.ts'
import {
  type AuditEntryRecord,
  type AuditHeadRecord,
  type AuditStore,
  hashEntry,
  ofCollection,
  type StoredValue,
  toDocumentKey,
} from './audit-store.ts'
import { digest } from './stored-value.ts'

/**
 * What is wrong with a chain. `entry_changed`: a stored entry is not what was written. `value_changed`: a value does not match its
 * digest. `value_missing`: a value is gone and no entry says that it was erased. `entry_missing`: an entry was removed, or several from this one on. `entry_added`:
 * there is an entry that is not part of the chain. `order_changed`: an entry does not follow the one before it. `head_missing` and
 * `head_changed`: the record of the end of the chain was removed or changed. `key_unknown`: signed with a secret that is not set.
 * `unsigned`: not signed, although there is a secret.
 */
export type AuditFaultCode =
  | 'entry_changed'
  | 'value_changed'
  | 'value_missing'
  | 'entry_missing'
  | 'entry_added'
  | 'order_changed'
  | 'head_missing'
  | 'head_changed'
  | 'key_unknown'
  | 'unsigned'

/** A place where a chain is broken. */
export interface AuditFault {
  /** Collection and id of the document: `posts/65f0…`. */
  readonly document: string
  /** Position of the entry; undefined if the fault is that of the whole chain. */
  readonly sequence?: number | undefined
  /** The kind of fault. */
  readonly code: AuditFaultCode
}

/** The result of {@link verifyAudit}. */
export interface AuditReport {
  /** Number of documents with entries. */
  readonly documents: number
  /** Number of entries that were read. */
  readonly entries: number
  /** Whether a secret signs the entries; without one, anyone who can write to the database can also compute the hashes. */
  readonly signed: boolean
  /** The faults; empty if there are none. */
  readonly faults: readonly AuditFault[]
}

/** Which documents {@link verifyAudit} checks. */
export interface AuditChoice {
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
}

/**
 * Checks the chains of entries: that each entry and each value is what was written, and that none is missing, added or in another place.
 * Reads all chosen entries, one document after the other; changes can go on.
 * @param choice - collection, and id of one document
 * @returns the number of documents and entries, and what is wrong
 * @throws Error when no model is audited, or none with this collection
 * @example
 * ```ts
 * const { faults } = await withDatabase(api, () => verifyAudit({ collection: 'posts' }))
 * ```
 */
export async function verifyAudit(choice: AuditChoice = {}): Promise<AuditReport> {
  const faults: AuditFault[] = []
  let documents = 0
  let entries = 0
  const chosen = chooseAudited(choice.collection)
  for (const audited of chosen) {
    for await (const document of listDocuments(audited, choice.id)) {
      const result = await verifyDocument(audited, document)
      if (result.entries > 0 || result.faults.length > 0) documents += 1
      entries += result.entries
      faults.push(...result.faults)
    }
  }
  return { documents, entries, faults, signed: chosen.every(({ keys }) => keys.current.id) }
}

export function chooseAudited(collection: string | undefined): readonly Audited[] {
  const all = listAudited()
  const chosen = all.filter(
    ({ model }) =>
      collection === undefined || [model.collection.name, model.modelName].includes(collection),
  )
  if (chosen.length > 0) return chosen
  const names = all.map(({ model }) => model.collection.name).join(', ')
  throw new Error(
    all.length === 0
      ? 'No model is audited. Call auditChanges(PostModel) beside the model.'
      : `No audited model is called ${collection}, and none has such a collection. Audited: ${names}.`,
  )
}

// The documents with a head, and those that have only entries.
async function* listDocuments(
  { model, store }: Audited,
  id: string | undefined,
): AsyncGenerator<string> {
  const { name: collection } = model.collection
  if (id !== undefined) {
    yield toDocumentKey(collection, id)
    return
  }
  const projection = { _id: 1 }
  for await (const { _id } of store.heads.find({ _id: ofCollection(collection) }, { projection }))
    yield _id
  const groups = store.entries.aggregate<{ _id: string }>(
    [
      { $match: { document: ofCollection(collection) } },
      { $group: { _id: '$document' } },
      {
        $lookup: {
          from: store.heads.collectionName,
          localField: '_id',
          foreignField: '_id',
          as: 'head',
        },
      },
      { $match: { head: [] } },
    ],
    { allowDiskUse: true },
  )
  for await (const { _id } of groups) yield _id
}

interface Verified {
  readonly entries: number
  readonly faults: readonly AuditFault[]
}

// A change between two reads looks like a fault, so a fault is confirmed by one snapshot of both.
async function verifyDocument({ keys, store }: Audited, document: string): Promise<Verified> {
  const result = await readChain(store, document, keys)
  if (result.faults.length === 0) return result
  return store.connection.transaction((session) => readChain(store, document, keys, session), {
    readConcern: { level: 'snapshot' },
  })
}

export async function readChain(
  store: AuditStore,
  document: string,
  keys: AuditKeys,
  session?: ClientSession,
): Promise<Verified> {
  const options = session ? { session } : {}
  const head = await store.heads.findOne({ _id: document }, options)
  const walk = new Walk(document, head, keys)
  const entries = store.entries.find({ document }, { ...options, sort: { sequence: 1 } })
  let count = 0
  for await (const entry of entries) {
    walk.add(entry)
    count += 1
  }
  return { entries: count, faults: walk.end() }
}

// Reads the chain of a document in its order, one entry at a time.
class Walk {
  readonly #faults: AuditFault[] = []
  readonly #withoutValue = new Set<number>()
  readonly #erased = new Set<number>()
  readonly #document: string
  readonly #head: AuditHeadRecord | null
  readonly #keys: AuditKeys
  #next: number
  #previous: string

  constructor(document: string, head: AuditHeadRecord | null, keys: AuditKeys) {
    this.#document = document
    this.#head = head
    this.#keys = keys
    this.#next = head?.first?.sequence ?? 1
    this.#previous = head?.first?.previous ?? ''
    if (head && !isSealed(keys, head)) this.#note('head_changed')
  }

  add(entry: AuditEntryRecord): void {
    const { sequence } = entry
    this.#checkPlace(sequence)
    if (entry.afterFault) this.#note('head_changed', sequence)
    const code = findEntryFault(entry, this.#keys)
    if (code) this.#note(code, sequence)
    else {
      if (entry.previous !== this.#previous) this.#note('order_changed', sequence)
      this.#checkValues(entry)
    }
    this.#next = Math.max(this.#next, sequence + 1)
    this.#previous = entry.hash
  }

  end(): readonly AuditFault[] {
    for (const sequence of this.#withoutValue) {
      if (!this.#erased.has(sequence)) this.#note('value_missing', sequence)
    }
    const head = this.#head
    if (!head) {
      if (this.#next > 1) this.#note('head_missing')
    } else if (this.#next <= head.sequence) this.#note('entry_missing', this.#next)
    else if (this.#faults.length === 0 && this.#previous !== head.hash) this.#note('head_changed')
    return this.#faults
  }

  #note(code: AuditFaultCode, sequence?: number): void {
    const place = sequence === undefined ? {} : { sequence }
    this.#faults.push({ document: this.#document, code, ...place })
  }

  #checkPlace(sequence: number): void {
    const isBeyond = this.#head !== null && sequence > this.#head.sequence
    if (sequence < this.#next || isBeyond) this.#note('entry_added', sequence)
    // The first one of them: their number may be anything.
    if (sequence > this.#next) this.#note('entry_missing', this.#next)
  }

  #checkValues(entry: AuditEntryRecord): void {
    for (const fault of findValueFaults(entry)) {
      if (fault === 'value_missing') this.#withoutValue.add(entry.sequence)
      else this.#note(fault, entry.sequence)
    }
    for (const sequence of entry.erased ?? []) this.#erased.add(sequence)
  }
}

function findEntryFault(entry: AuditEntryRecord, keys: AuditKeys): AuditFaultCode | undefined {
  const { hash, ...values } = entry
  const key = keys.find(entry.key)
  if (!key) return entry.key === undefined ? 'unsigned' : 'key_unknown'
  return isHash(hash, () => hashEntry(key, values)) ? undefined : 'entry_changed'
}

// An entry that was changed need not have the form of one.
function isHash(hash: unknown, compute: () => string): boolean {
  try {
    return hash === compute()
  } catch {
    return false
  }
}

function findValueFaults({ changes }: AuditEntryRecord): AuditFaultCode[] {
  return changes
    .flatMap(({ after, before }) => [before, after])
    .flatMap((stored) => (stored ? (findValueFault(stored) ?? []) : []))
}

function findValueFault(stored: StoredValue): AuditFaultCode | undefined {
  if ('masked' in stored) return 'value' in stored ? 'value_changed' : undefined
  const { salt, value } = stored
  if (salt === undefined) return 'value' in stored ? 'value_changed' : 'value_missing'
  if (typeof salt !== 'string') return 'value_changed'
  return digest(value, salt) === stored.digest ? undefined : 'value_changed'
}
