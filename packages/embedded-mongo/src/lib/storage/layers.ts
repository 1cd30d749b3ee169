import { type Entry, type KeyRange, type Reader, type Slice, type Value } from './store.ts'

// Marks a deleted key in an upper layer, where an absent key means "read the lower layer".
export const deleted = ''

export function getLayered(upper: Reader, lower: Reader, key: string): Value | undefined {
  const own = upper.get(key)
  if (own === undefined) return lower.get(key)
  return own === deleted ? undefined : own
}

export function sliceLayered(upper: Reader, lower: Reader, range: KeyRange, limit: number): Slice {
  const base = lower.slice(range, limit)
  const own = upper.slice(reachedPart(range, base.through), limit)
  if (own.entries.length === 0) return base
  const through = own.through ?? base.through
  const reached = own.through === undefined ? base.entries : upTo(base.entries, own.through, range)
  return { entries: merge(reached, own.entries, range.reverse === true), through }
}

// What a slice of a range has visited.
export function reachedPart(range: KeyRange, through: string | undefined): KeyRange {
  if (through === undefined) return range
  return range.reverse ? { ...range, start: through } : { ...range, end: `${through}\0` }
}

function upTo(entries: Entry[], last: string, { reverse }: KeyRange): Entry[] {
  const end = entries.findIndex(([key]) => (reverse ? key < last : key > last))
  return end < 0 ? entries : entries.slice(0, end)
}

function merge(base: Entry[], own: Entry[], reverse: boolean): Entry[] {
  const merged: Entry[] = []
  let position = 0
  for (const entry of base) {
    for (; isAhead(own[position], entry, reverse); position += 1)
      pushUnlessDeleted(merged, own[position])
    if (own[position]?.[0] !== entry[0]) merged.push(entry)
  }
  for (; position < own.length; position += 1) pushUnlessDeleted(merged, own[position])
  return merged
}

function isAhead(own: Entry | undefined, base: Entry, reverse: boolean): boolean {
  if (!own) return false
  return reverse ? own[0] > base[0] : own[0] < base[0]
}

function pushUnlessDeleted(merged: Entry[], entry: Entry | undefined): void {
  if (entry && entry[1] !== deleted) merged.push(entry)
}
