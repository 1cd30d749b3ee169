import { deleted } from './layers.ts'
import {
  entryEnd,
  entryKey,
  entryKeyEnd,
  entryKeyStart,
  entryLength,
  entryValue,
  writeEntry,
} from './record-format.ts'
import { type Entry, type KeyRange, type Reader, type Slice, type Value } from './store.ts'

const pageBytes = 256 * 1024

// Sorted entries in one piece of memory, as in a record of a snapshot: a fraction of the memory that an
// object, a key and a buffer for each entry take.
export interface Page {
  bytes: Buffer
  // Where each entry starts; at least one.
  starts: Uint32Array
  first: string
}

// Entries that do not change; others are merged into a new list, which shares the pages without a change.
export class Pages implements Reader {
  static readonly none = new Pages([])
  readonly #list: readonly Page[]
  readonly count: number

  constructor(list: readonly Page[]) {
    this.#list = list
    this.count = list.reduce((sum, { starts }) => sum + starts.length, 0)
  }

  get(key: string): Value | undefined {
    const page = this.#list[this.#pageOf(key)]
    if (!page) return undefined
    const position = lowerBound(page, key)
    return position < page.starts.length && compareAt(page, position, key) === 0
      ? entryValue(page.bytes, startOf(page, position))
      : undefined
  }

  slice(range: KeyRange, limit: number): Slice {
    const entries = range.reverse ? this.#sliceDown(range, limit) : this.#sliceUp(range, limit)
    return { entries, through: entries.length < limit ? undefined : entries.at(-1)?.[0] }
  }

  // The entries of each page, as they are in a record.
  *contents(): Generator<Buffer, void> {
    for (const page of this.#list) yield contentOf(page)
  }

  without(start: string, end: string): Pages {
    const first = this.#pageOf(start)
    const next = this.#pageOf(end) + 1
    const kept = this.#list
      .slice(first, next)
      .flatMap((page) => [
        ...part(page, 0, lowerBound(page, start)),
        ...part(page, lowerBound(page, end), page.starts.length),
      ])
    return new Pages([...this.#list.slice(0, first), ...kept, ...this.#list.slice(next)])
  }

  // The changes are in order.
  with(changes: readonly Entry[]): Pages {
    const writer = new PageWriter()
    let position = 0
    for (const [i, page] of this.#list.entries()) {
      const next = this.#list[i + 1]?.first
      const from = position
      while (position < changes.length && isBelow(changes[position], next)) position += 1
      if (position === from && !writer.isShort) writer.add(page)
      else mergeInto(writer, page, changes.slice(from, position))
    }
    const rest = changes.slice(position)
    writer.start(sizeOf(rest))
    for (const change of rest) writer.write(change)
    return new Pages(writer.finish())
  }

  // The last page that may hold a key; the first one if all are above it.
  #pageOf(key: string): number {
    let low = 0
    let high = this.#list.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#list[middle]?.first ?? '') <= key) low = middle
      else high = middle - 1
    }
    return low
  }

  #sliceUp({ start, end }: KeyRange, limit: number): Entry[] {
    const entries: Entry[] = []
    for (let i = this.#pageOf(start); i < this.#list.length; i += 1) {
      const page = this.#list[i]
      if (!page || page.first >= end) break
      const last = Math.min(lowerBound(page, end), page.starts.length)
      for (let at = lowerBound(page, start); at < last; at += 1) {
        if (entries.length === limit) return entries
        entries.push(entryAt(page, at))
      }
    }
    return entries
  }

  #sliceDown({ start, end }: KeyRange, limit: number): Entry[] {
    const entries: Entry[] = []
    for (let i = this.#pageOf(end); i >= 0; i -= 1) {
      const page = this.#list[i]
      if (!page) break
      const first = lowerBound(page, start)
      for (let at = lowerBound(page, end) - 1; at >= first; at -= 1) {
        if (entries.length === limit) return entries
        entries.push(entryAt(page, at))
      }
      if (first > 0) break
    }
    return entries
  }
}

function isBelow(change: Entry | undefined, next: string | undefined): boolean {
  return change !== undefined && (next === undefined || change[0] < next)
}

function mergeInto(writer: PageWriter, page: Page, changes: readonly Entry[]): void {
  writer.start(contentOf(page).length + sizeOf(changes))
  let at = 0
  for (const change of changes) {
    const place = lowerBound(page, change[0], at)
    writer.copy(page, at, place)
    writer.write(change)
    const isReplaced = place < page.starts.length && compareAt(page, place, change[0]) === 0
    at = isReplaced ? place + 1 : place
  }
  writer.copy(page, at, page.starts.length)
  if (!writer.isShort) writer.cut()
}

function contentOf(page: Page): Buffer {
  return page.bytes.subarray(startOf(page, 0), endOf(page, page.starts.length - 1))
}

function sizeOf(changes: readonly Entry[]): number {
  return changes.reduce((sum, [key, value]) => sum + entryLength(key, value), 0)
}

function part(page: Page, from: number, to: number): Page[] {
  if (from >= to) return []
  if (to - from === page.starts.length) return [page]
  return [toPage(page.bytes, page.starts.subarray(from, to))]
}

export function toPage(bytes: Buffer, starts: Uint32Array): Page {
  return { bytes, starts, first: entryKey(bytes, starts[0] ?? 0) }
}

function startOf(page: Page, position: number): number {
  return page.starts[position] ?? 0
}

function entryAt(page: Page, position: number): Entry {
  const start = startOf(page, position)
  return [entryKey(page.bytes, start), entryValue(page.bytes, start)]
}

// The position of the first entry that is not below the key.
function lowerBound(page: Page, key: string, from = 0): number {
  let low = from
  let high = page.starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareAt(page, middle, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function compareAt(page: Page, position: number, key: string): number {
  const { bytes } = page
  const start = startOf(page, position)
  const keyStart = entryKeyStart(start)
  const length = entryKeyEnd(bytes, start) - keyStart
  const shared = Math.min(length, key.length)
  for (let i = 0; i < shared; i += 1) {
    const difference = (bytes[keyStart + i] ?? 0) - key.charCodeAt(i)
    if (difference !== 0) return difference
  }
  return length - key.length
}

// Collects entries in order, and cuts them into pages of similar size.
class PageWriter {
  readonly #pages: Page[] = []
  #bytes = Buffer.allocUnsafeSlow(2 * pageBytes)
  #length = 0
  #starts = new Uint32Array(pageBytes / 16)
  #count = 0
  #limit = pageBytes

  // What was written last is less than a page should hold.
  get isShort(): boolean {
    return this.#length > 0 && this.#length < pageBytes / 4
  }

  // About so many bytes follow.
  start(length: number): void {
    const all = this.#length + length
    this.#limit = all / Math.max(1, Math.round(all / pageBytes))
  }

  add(page: Page): void {
    this.cut()
    this.#pages.push(page)
  }

  write([key, value]: Entry): void {
    if (value === deleted) return
    const length = entryLength(key, value)
    this.#reserve(length)
    this.#push(this.#length)
    writeEntry(this.#bytes, this.#length, { key, value })
    this.#advance(length)
  }

  copy(page: Page, from: number, to: number): void {
    let at = from
    while (at < to) {
      const start = startOf(page, at)
      const shift = this.#length - start
      let end = start
      for (; at < to && end + shift < this.#limit; at += 1) {
        this.#push(end + shift)
        end = endOf(page, at)
      }
      this.#reserve(end - start)
      page.bytes.copy(this.#bytes, this.#length, start, end)
      this.#advance(end - start)
    }
  }

  cut(): void {
    if (this.#length === 0) return
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#pages.push(toPage(bytes, this.#starts.slice(0, this.#count)))
    this.#length = 0
    this.#count = 0
  }

  finish(): Page[] {
    this.cut()
    return this.#pages
  }

  #advance(length: number): void {
    this.#length += length
    if (this.#length >= this.#limit) this.cut()
  }

  #push(start: number): void {
    if (this.#count === this.#starts.length) {
      const longer = new Uint32Array(2 * this.#count)
      longer.set(this.#starts)
      this.#starts = longer
    }
    this.#starts[this.#count] = start
    this.#count += 1
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

function endOf(page: Page, position: number): number {
  return entryEnd(page.bytes, startOf(page, position))
}
