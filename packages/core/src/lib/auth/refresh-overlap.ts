import { setBounded } from './set-bounded.ts'

// An end is looked up in the seconds after the refresh; fewer than this many happen in that time.
const maxEnds = 10_000

// Distinguishes requests that overlapped a refresh from replays of the token that it used up.
export interface RefreshOverlap {
  /**
   * Records when the response to a refresh of this process left; before it has left, the latest time
   * at which it counts as left. In milliseconds since the epoch.
   */
  noteEnd(key: string, at: number): void
  /**
   * Whether a request arrived before any client could know the result of the refresh that began at
   * `rotatedAt`. `tookMs` is how long the request's own attempt to refresh took.
   */
  includes(
    refresh: { readonly key: string; readonly rotatedAt: number },
    request: { readonly arrivedAt: number; readonly tookMs: number },
  ): boolean
}

// The end of the earlier refresh decides: until its response left, no client could have the new token.
// This process knows when its own refreshes ended. For those of another process the document has only
// the start; that refresh is assumed to have taken as long as the same operation took here.
// `skew` is the maximum difference between the clocks of the hosts, in milliseconds.
export function createRefreshOverlap(skew: number): RefreshOverlap {
  const ends = new Map<string, number>()
  return {
    noteEnd: (key, at) => setBounded(ends, key, Math.min(at, ends.get(key) ?? at), maxEnds),
    includes({ key, rotatedAt }, { arrivedAt, tookMs }) {
      if (arrivedAt <= rotatedAt + skew) return true
      const end = ends.get(key)
      // In the millisecond of the end it may have been sent after the response: that is a replay.
      return arrivedAt < (end ?? rotatedAt + skew + tookMs)
    },
  }
}
