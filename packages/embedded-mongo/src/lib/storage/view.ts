import { deleted, getLayered, sliceLayered } from './layers.ts'
import {
  allKeys,
  type Batch,
  type KeyRange,
  type Reader,
  scan,
  type Slice,
  type Value,
} from './store.ts'
import { SortedMap } from './sorted-map.ts'
import { type Doc } from '../bson/document.ts'

// Kept apart from the keys, so that writers do not conflict on a collection's size.
interface CountChange {
  documents: number
  bytes: number
}

// A document's change, for change streams.
export interface Change {
  namespace: string
  collectionId: string
  // Undefined for an insert.
  before: Buffer | undefined
  // Undefined for a delete.
  after: Buffer | undefined
  // The client sent a whole document, not modifiers.
  replaced: boolean
  uuid: Buffer
  // The collection keeps images of its documents for change streams.
  hasImages: boolean
}

// What happened to a whole collection or database, for change streams.
export type SchemaChange =
  | { kind: 'dropDatabase'; database: string }
  | {
      kind: 'create' | 'createIndexes' | 'drop' | 'dropIndexes' | 'modify' | 'rename'
      namespace: string
      uuid: Buffer
      // Of a rename.
      to?: string
      // What expanded events say about it.
      description?: Doc
    }

// Pending writes over a reader: what one command or one transaction sees.
export interface Origin {
  // The bytes of its UUID.
  session: string
  number: bigint
}

export class View implements Reader {
  // The store, or the snapshot of a transaction.
  readonly base: Reader
  // Size changes by collection id.
  readonly counts = new Map<string, CountChange>()
  readonly changes: Change[] = []
  readonly schemaChanges: SchemaChange[] = []
  // The transaction that it belongs to.
  origin: Origin | undefined
  // Most commands only read, so it is created on the first write.
  #overlay: SortedMap | undefined
  #drops: [start: string, end: string][] = []
  readonly #beforeWrite: ((key: string) => void) | undefined

  constructor(base: Reader, beforeWrite?: (key: string) => void) {
    this.base = base
    this.#beforeWrite = beforeWrite
  }

  get(key: string): Value | undefined {
    return this.#overlay ? getLayered(this.#overlay, this.base, key) : this.base.get(key)
  }

  slice(range: KeyRange, limit: number): Slice {
    return this.#overlay
      ? sliceLayered(this.#overlay, this.base, range, limit)
      : this.base.slice(range, limit)
  }

  put(key: string, value: Value): void {
    this.#beforeWrite?.(key)
    this.#pending().set(key, value)
  }

  delete(key: string): void {
    this.#beforeWrite?.(key)
    this.#pending().set(key, deleted)
  }

  // The keys of a dropped range are not read again, because ids are never reused.
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
    return this.#overlay ? [...scan(this.#overlay, allKeys)].map(([key]) => key) : []
  }

  get isEmpty(): boolean {
    const keepsKeys = !this.#overlay && this.#drops.length === 0 && this.counts.size === 0
    return keepsKeys && this.schemaChanges.length === 0
  }

  // Counts are excluded: they are added to the stored ones at commit.
  toBatch(): Batch {
    const puts: Batch['puts'] = []
    for (const [key, value] of scan(this.#pending(), allKeys)) {
      puts.push([key, value === deleted ? undefined : value])
    }
    return { drops: this.#drops, puts }
  }

  #pending(): SortedMap {
    this.#overlay ??= new SortedMap()
    return this.#overlay
  }
}
