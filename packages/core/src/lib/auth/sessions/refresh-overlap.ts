import { setBounded } from '../storage/set-bounded.ts'

// An end is looked up in the seconds after the refresh; fewer than this many happen in that time.
const maxEnds = 10_000

// Distinguishes requests with the predecessor of a token that are not replays: those that overlapped the
// refresh that used it up, or came within the leeway after it.
export interface RefreshOverlap {
  /**
   * Records when the response to a refresh of this process left; before it has left, the latest time
   * at which it counts as left. In milliseconds since the epoch.
   */
  noteEnd(key: string, at: number): void
  /**
   * Whether a request arrived before any client could know the result of the refresh that began at
   * `rotatedAt`, or no later than the leeway after that. `tookMs` is how long the request's own attempt
   * to refresh took.
   */
  includes(
    refresh: { readonly key: string; readonly rotatedAt: number },
    request: { readonly arrivedAt: number; readonly tookMs: number },
  ): boolean
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
    includes({ key, rotatedAt }, { arrivedAt, tookMs }) {
      const arrived = arrivedAt - leeway
      if (arrived <= rotatedAt + skew) return true
      const end = ends.get(key)
      // In the millisecond of the end it may have been sent after the response: that is a replay.
      return arrived < (end ?? rotatedAt + skew + tookMs)
    },
  }
}
