import { createRequire as requireFrom } from 'node:module'
import type sortedBtree from 'sorted-btree'
import { compareText } from '../keys/compare.ts'
import {
  type Batch,
  type Entry,
  type KeyRange,
  type Reader,
  type Slice,
  type Store,
  type Value,
} from './store.ts'

// The package is CommonJS with a `default` property, which loaders and bundlers import differently.
// createRequire has another name because the banner of the built files declares it too.
const { default: BTree }: typeof sortedBtree = requireFrom(import.meta.url)('sorted-btree')
type BTree = InstanceType<typeof BTree<string, Value>>

// All keys in order; `clone` is copy-on-write.
export class Tree implements Reader {
  readonly #map: BTree

  constructor(map: BTree = new BTree<string, Value>(undefined, compareText)) {
    this.#map = map
  }

  get size(): number {
    return this.#map.size
  }

  get(key: string): Value | undefined {
    return this.#map.get(key)
  }

  slice(range: KeyRange, limit: number): Slice {
    const entries = range.reverse
      ? this.#sliceDown(range, limit)
      : this.#map.getRange(range.start, range.end, false, limit)
    return { entries, through: entries.length < limit ? undefined : entries.at(-1)?.[0] }
  }

  set(key: string, value: Value): void {
    this.#map.set(key, value)
  }

  delete(key: string): void {
    this.#map.delete(key)
  }

  apply(batch: Batch): void {
    for (const [start, end] of batch.drops) this.#map.deleteRange(start, end, false)
    for (const [key, value] of batch.puts) {
      if (value === undefined) this.#map.delete(key)
      else this.#map.set(key, value)
    }
  }

  clone(): Tree {
    return new Tree(this.#map.clone())
  }

  #sliceDown(range: KeyRange, limit: number): Entry[] {
    const entries: Entry[] = []
    for (const [key, value] of this.#map.entriesReversed(range.end, undefined, true)) {
      if (key < range.start || entries.length === limit) break
      entries.push([key, value])
    }
    return entries
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
