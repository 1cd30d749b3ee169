import { ApiError } from '../errors/api-error.ts'

export interface LimitPolicy {
  readonly name: string
  readonly limit: number
  readonly window: number
}

// The `RateLimit-Policy` field of the IETF draft.
export function formatPolicy({ name, limit, window }: LimitPolicy): string {
  return `"${name}";q=${limit};w=${Math.ceil(window / 1000)}`
}

// The 429 of every limit (RFC 6585 section 4); `waitMs` is the time until the next request can pass.
export function createRefusal(policy: LimitPolicy, waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError('rate_limited', {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': formatPolicy(policy),
      RateLimit: `"${policy.name}";r=0;t=${seconds}`,
    },
  })
}
