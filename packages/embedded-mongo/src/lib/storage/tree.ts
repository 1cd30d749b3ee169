import { isNumerousKind } from './keys.ts'
import { deleted, getLayered, reachedPart, sliceLayered } from './layers.ts'
import { Pages } from './pages.ts'
import { SortedMap } from './sorted-map.ts'
import {
  allKeys,
  type Batch,
  type Entry,
  type KeyRange,
  type Reader,
  scan,
  type Slice,
  type Store,
  type Value,
} from './store.ts'

// So many writes, and so large a share of the entries, are merged into the pages at once.
const mergedWrites = 32_768
const mergedShare = 1 / 8
// A larger value takes no more memory outside of the pages, and need not be copied.
const maxPagedBytes = 16 * 1024

interface TreeOptions {
  pages?: Pages
  recent?: SortedMap
  // For tests.
  mergedWrites?: number | undefined
}

// All keys in order: documents and index entries in pages, except for the latest writes, and the few other
// keys with an object each, so that what is derived from a value can be cached with it.
export class Tree implements Reader {
  readonly #mergedWrites: number
  #recent: SortedMap
  #pages: Pages
  #writes = 0

  constructor(options: TreeOptions = {}) {
    this.#mergedWrites = options.mergedWrites ?? mergedWrites
    this.#recent = options.recent ?? new SortedMap()
    this.#pages = options.pages ?? Pages.none
  }

  get(key: string): Value | undefined {
    return getLayered(this.#recent, this.#pages, key)
  }

  slice(range: KeyRange, limit: number): Slice {
    const slice = sliceLayered(this.#recent, this.#pages, range, limit)
    // All that was visited is deleted. A queue would visit it again with each job that it takes.
    if (slice.entries.length === 0 && slice.through !== undefined) {
      const { end, start } = reachedPart(range, slice.through)
      this.deleteRange(start, end)
    }
    return slice
  }

  set(key: string, value: Value): void {
    this.#recent.set(key, value)
    this.#countWrite(key)
  }

  delete(key: string): void {
    if (this.#pages.get(key) === undefined) this.#recent.delete(key)
    else this.#recent.set(key, deleted)
    this.#countWrite(key)
  }

  deleteRange(start: string, end: string): void {
    this.#recent.deleteRange(start, end)
    this.#pages = this.#pages.without(start, end)
  }

  apply({ drops, puts }: Batch): void {
    for (const [start, end] of drops) this.deleteRange(start, end)
    for (const [key, value] of puts) {
      if (value === undefined) this.delete(key)
      else this.set(key, value)
    }
  }

  clone(): Tree {
    return new Tree({ pages: this.#pages, recent: this.#recent.clone() })
  }

  // The entries of each page, as they are in a record of a snapshot.
  pageContents(): Iterable<Buffer> {
    return this.#pages.contents()
  }

  // After a merge.
  entriesOutsidePages(): Iterable<Entry> {
    return scan(this.#recent, allKeys)
  }

  // Merges the latest writes into the pages.
  merge(): void {
    const changes: Entry[] = []
    const others: Entry[] = []
    for (const entry of scan(this.#recent, allKeys)) {
      const isPaged = isNumerousKind(entry[0].charCodeAt(0)) && entry[1].length <= maxPagedBytes
      ;(isPaged ? changes : others).push(entry)
    }
    if (changes.length > 0) {
      this.#pages = this.#pages.with(changes)
      this.#recent = new SortedMap(others)
    }
    this.#writes = 0
  }

  #countWrite(key: string): void {
    if (!isNumerousKind(key.charCodeAt(0))) return
    this.#writes += 1
    if (this.#writes < this.#mergedWrites) return
    const entries = this.#pages.count + this.#recent.size
    if (this.#writes >= mergedShare * entries) this.merge()
  }
}

export function createMemoryStore(): Store {
  const tree = new Tree()
  return {
    get: (key) => tree.get(key),
    slice: (range, limit) => tree.slice(range, limit),
    apply: (batch) => tree.apply(batch),
    snapshot: () => tree.clone(),
    compact: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
