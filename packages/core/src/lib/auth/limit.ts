import { ApiError } from '../errors/api-error.ts'

/** One limit: so many requests in so much time. */
export interface Limit {
  /** Requests allowed. */
  limit: number
  /** Length of the window in seconds. */
  window: number
}

/**
 * The refusal of a request beyond a limit, with the headers of the pipeline's limits.
 * @param limit - the limit that was reached
 * @param limit.limit - requests allowed
 * @param limit.window - length of the window in seconds
 * @param wait - milliseconds until it is worth trying again
 * @returns a 429 with `Retry-After` (RFC 6585 section 4)
 */
export function refuse({ limit, window }: Limit, wait: number): ApiError {
  const seconds = Math.max(1, Math.ceil(wait / 1000))
  return new ApiError('rate_limited', {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"auth";q=${limit};w=${window}`,
      RateLimit: `"auth";r=0;t=${seconds}`,
    },
  })
}
