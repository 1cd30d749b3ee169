import { setBounded } from '../storage/set-bounded.ts'

// An end is looked up in the seconds after the refresh; fewer than this many happen in that time.
const maxEnds = 10_000

// When a request with the predecessor of a token arrived: `during` the refresh that used it up, before any
// client could know the result; in the `leeway` after that; or `later`, which is a replay.
export type Arrival = 'during' | 'leeway' | 'later'

export interface RefreshOverlap {
  /**
   * Records when the response to a refresh of this process left; before it has left, the latest time
   * at which it counts as left. In milliseconds since the epoch.
   */
  noteEnd(key: string, at: number): void
  /**
   * When a request arrived, compared with the refresh that began at `rotatedAt`. `tookMs` is how long
   * the request's own attempt to refresh took.
   */
  compare(
    refresh: { readonly key: string; readonly rotatedAt: number },
    request: { readonly arrivedAt: number; readonly tookMs: number },
  ): Arrival
}

// The end of the earlier refresh decides: until its response left, no client could have the new token.
// This process knows when its own refreshes ended. For those of another process the document has only
// the start; that refresh is assumed to have taken as long as the same operation took here.
// In milliseconds: `skew` is the maximum difference between the clocks of the hosts.
export function createRefreshOverlap({
  skew,
  leeway,
}: {
  skew: number
  leeway: number
}): RefreshOverlap {
  const ends = new Map<string, number>()
  return {
    noteEnd: (key, at) => setBounded(ends, key, Math.min(at, ends.get(key) ?? at), maxEnds),
    compare({ key, rotatedAt }, { arrivedAt, tookMs }) {
      const end = ends.get(key) ?? rotatedAt + skew + tookMs
      // In the millisecond of the end it may have been sent after the response.
      const isBefore = (time: number): boolean => time <= rotatedAt + skew || time < end
      if (isBefore(arrivedAt)) return 'during'
      return isBefore(arrivedAt - leeway) ? 'leeway' : 'later'
    },
  }
}
