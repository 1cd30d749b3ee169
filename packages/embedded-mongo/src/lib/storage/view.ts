import { scan } from './scan.ts'
import {
  type Batch,
  type Entry,
  type KeyRange,
  type Reader,
  type Slice,
  type Value,
} from './store.ts'
import { Tree } from './tree.ts'

// Marks a deleted key in the overlay, where an absent key means "ask the base".
const DELETED = ''
const EVERYTHING = { start: '', end: '\u0100' }

/** Change of a collection's size; kept apart from the keys, so that writers do not conflict on it. */
export interface CountChange {
  documents: number
  bytes: number
}

/** A document's change, for those who watch. */
export interface Change {
  namespace: string
  collectionId: string
  /** The stored document before; `undefined` for an insert. */
  before: Buffer | undefined
  /** The document afterwards; `undefined` for a delete. */
  after: Buffer | undefined
  /** The whole document was given, not modifiers. */
  replaced: boolean
}

/** What happened to a whole collection or database, for those who watch. */
export type SchemaChange =
  | { kind: 'drop'; namespace: string }
  | { kind: 'rename'; namespace: string; to: string }
  | { kind: 'dropDatabase'; database: string }

/** A reader with pending writes on top: what one command or one transaction sees. */
export class View implements Reader {
  /** Where reads fall through to: the store, or the snapshot of a transaction. */
  readonly base: Reader
  /** Size changes by collection id. */
  readonly counts = new Map<string, CountChange>()
  /** What happened to documents, in order. */
  readonly changes: Change[] = []
  /** Collections it drops or renames, in order. */
  readonly schemaChanges: SchemaChange[] = []
  // Most commands only read, so it is made with the first write.
  #overlay: Tree | undefined
  #drops: [start: string, end: string][] = []
  readonly #beforeWrite: ((key: string) => void) | undefined

  /**
   * @param base Where reads fall through to.
   * @param beforeWrite Called with each key before it is written; may throw to refuse the write.
   */
  constructor(base: Reader, beforeWrite?: (key: string) => void) {
    this.base = base
    this.#beforeWrite = beforeWrite
  }

  get(key: string): Value | undefined {
    const own = this.#overlay?.get(key)
    if (own === undefined) return this.base.get(key)
    return own === DELETED ? undefined : own
  }

  slice(range: KeyRange, limit: number): Slice {
    const base = this.base.slice(range, limit)
    if (!this.#overlay) return base
    const own = [...scan(this.#overlay, reachedPart(range, base.through))]
    if (own.length === 0) return base
    return { entries: merge(base.entries, own, range.reverse === true), through: base.through }
  }

  put(key: string, value: Value): void {
    this.#beforeWrite?.(key)
    this.#pending().set(key, value)
  }

  delete(key: string): void {
    this.#beforeWrite?.(key)
    this.#pending().set(key, DELETED)
  }

  // The keys of a dropped range are not read again, because ids are not used twice.
  drop({ start, end }: KeyRange): void {
    const pending = this.#pending()
    for (const [key] of scan(pending, { start, end })) pending.delete(key)
    this.#drops.push([start, end])
  }

  count(collectionId: string, change: CountChange): void {
    const known = this.counts.get(collectionId)
    this.counts.set(collectionId, {
      documents: (known?.documents ?? 0) + change.documents,
      bytes: (known?.bytes ?? 0) + change.bytes,
    })
  }

  keys(): string[] {
    return this.#overlay ? [...scan(this.#overlay, EVERYTHING)].map(([key]) => key) : []
  }

  get isEmpty(): boolean {
    return !this.#overlay && this.#drops.length === 0 && this.counts.size === 0
  }

  // The counts are left out: they are added to what the store holds at commit.
  toBatch(): Batch {
    const puts: Batch['puts'] = []
    for (const [key, value] of scan(this.#pending(), EVERYTHING)) {
      puts.push([key, value === DELETED ? undefined : value])
    }
    return { drops: this.#drops, puts }
  }

  #pending(): Tree {
    this.#overlay ??= new Tree()
    return this.#overlay
  }
}

function reachedPart(range: KeyRange, through: string | undefined): KeyRange {
  if (through === undefined) return range
  return range.reverse ? { ...range, start: through } : { ...range, end: `${through}\0` }
}

function merge(base: Entry[], own: Entry[], reverse: boolean): Entry[] {
  const merged: Entry[] = []
  let position = 0
  for (const entry of base) {
    for (; isAhead(own[position], entry, reverse); position += 1) pushLive(merged, own[position])
    if (own[position]?.[0] !== entry[0]) merged.push(entry)
  }
  for (; position < own.length; position += 1) pushLive(merged, own[position])
  return merged
}

function isAhead(own: Entry | undefined, base: Entry, reverse: boolean): boolean {
  if (!own) return false
  return reverse ? own[0] > base[0] : own[0] < base[0]
}

function pushLive(merged: Entry[], entry: Entry | undefined): void {
  if (entry && entry[1] !== DELETED) merged.push(entry)
}
