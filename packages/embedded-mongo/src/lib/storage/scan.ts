import { type Entry, type KeyRange, type Reader } from './store.ts'

const FIRST_SLICE = 32
const LARGEST_SLICE = 512

/**
 * Walks a range in slices and resumes from the last key, so that writes between two steps do no harm.
 *
 * @param reader Where the keys are read from.
 * @param range Which keys, in which direction.
 * @yields The entries in order, read as they are asked for.
 * @returns Nothing.
 */
export function* scan(reader: Reader, range: KeyRange): Generator<Entry, void> {
  let { start, end } = range
  let size = FIRST_SLICE
  while (start < end) {
    const { entries, through } = reader.slice({ start, end, reverse: range.reverse }, size)
    yield* entries
    if (through === undefined) return
    if (range.reverse) end = through
    else start = `${through}\0`
    size = Math.min(size * 4, LARGEST_SLICE)
  }
}
