import { createRequire as requireFrom } from 'node:module'
import type sortedBtree from 'sorted-btree'
import { compareText } from '../keys/compare.ts'
import { type Entry, type KeyRange, type Reader, type Slice, type Value } from './store.ts'

// The package is CommonJS with a `default` property, which loaders and bundlers import differently.
// createRequire has another name because the banner of the built files declares it too.
const { default: BTree }: typeof sortedBtree = requireFrom(import.meta.url)('sorted-btree')
type BTree = InstanceType<typeof BTree<string, Value>>

// Keys in order, each with a separate value; `clone` is copy-on-write.
export class SortedMap implements Reader {
  readonly #map: BTree

  constructor(source: BTree | Entry[] = []) {
    this.#map = Array.isArray(source) ? new BTree<string, Value>(source, compareText) : source
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

  deleteRange(start: string, end: string): void {
    this.#map.deleteRange(start, end, false)
  }

  clone(): SortedMap {
    return new SortedMap(this.#map.clone())
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
