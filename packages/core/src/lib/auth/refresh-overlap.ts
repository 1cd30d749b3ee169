import { setBounded } from './set-bounded.ts'

// A refresh is asked about in the seconds after it; this many are more than come in those.
const mostKept = 10_000

/** What is known about the refresh that a token came too late for. */
export interface EarlierRefresh {
  /** Session and generation of the token that it used up. */
  readonly key: string
  /** When it was begun, by the clock of the process that did it: milliseconds since the epoch. */
  readonly rotatedAt: number
}

/** What is known about the request that came too late. */
export interface LateRequest {
  /** When it reached this process: milliseconds since the epoch. */
  readonly arrivedAt: number
  /** How many milliseconds its own attempt to refresh took. */
  readonly tookMs: number
}

/** Tells requests that were in flight together from one that replays what another has used up. */
export interface RefreshOverlap {
  /**
   * Notes when the answer to a refresh of this process left; before it has, when it will have left at
   * the latest.
   */
  noteEnd(key: string, at: number): void
  /** Whether the request came before anyone could know the outcome of the refresh. */
  includes(refresh: EarlierRefresh, request: LateRequest): boolean
}

/**
 * Makes the judge of overlaps. What counts is the end of the earlier refresh: until its answer
 * left, nobody could have had the new token. This process knows the end of its own refreshes. Of
 * another process the document tells only the beginning; it is taken to have lasted as long as the
 * same operation lasted here.
 * @param skew - milliseconds by which the clocks of the hosts may differ
 * @returns the judge
 */
export function createRefreshOverlap(skew: number): RefreshOverlap {
  const ends = new Map<string, number>()
  return {
    noteEnd: (key, at) => setBounded(ends, [key, Math.min(at, ends.get(key) ?? at)], mostKept),
    includes({ key, rotatedAt }, { arrivedAt, tookMs }) {
      if (arrivedAt <= rotatedAt + skew) return true
      const end = ends.get(key)
      // In the millisecond of the end it may have been sent after the answer: that is a replay.
      return arrivedAt < (end ?? rotatedAt + skew + tookMs)
    },
  }
}
