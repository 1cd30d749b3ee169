import { hash } from 'node:crypto'
import { setBounded } from './set-bounded.ts'

/** Verified tokens, so that the signature of one is checked once and not per request. */
export interface TokenCache<Claims> {
  /**
   * Looks a token up.
   * @param token - as it came
   * @param now - milliseconds since the epoch
   * @returns its claims, when it passed every check less than a minute ago
   */
  get(token: string, now: number): Claims | undefined
  /**
   * Keeps a token that passed every check.
   * @param token - as it came
   * @param claims - what it says, frozen
   * @param times - now and the end of the token, in milliseconds since the epoch
   */
  set(token: string, claims: Claims, times: { now: number; expiresAt: number }): void
}

const longestStay = 60_000

/**
 * Makes a bounded cache, keyed by a digest: no token is kept, no comparison can be timed. It
 * belongs to one set of keys and options; whoever changes those makes another cache. Revocation
 * is not its business: session and user are looked up after it.
 * @param size - most entries; the oldest goes out; 0 keeps none
 * @returns the cache
 */
export function createTokenCache<Claims>(size: number): TokenCache<Claims> {
  const entries = new Map<string, { claims: Claims; until: number }>()
  return {
    get(token, now) {
      if (entries.size === 0) return undefined
      const entry = entries.get(toKey(token))
      return entry && now < entry.until ? entry.claims : undefined
    },
    set(token, claims, { now, expiresAt }) {
      if (size === 0) return
      const until = Math.min(expiresAt, now + longestStay)
      setBounded(entries, [toKey(token), { claims, until }], size)
    },
  }
}

function toKey(token: string): string {
  // Not createHash: its object costs more than the digest.
  return hash('sha256', token, 'base64')
}
