import { ApiError } from '../errors/api-error.ts'

// The open streams of this process, by the id of their caller; each function checks the access again.
const checks = new Map<string, Set<() => void>>()

// Notes a stream and returns the function that removes the note. Throws ApiError `rate_limited`.
export function noteCallerStream(userId: string, check: () => void, max: number): () => void {
  const own = checks.get(userId) ?? new Set()
  if (own.size >= max) {
    throw new ApiError('rate_limited', { detail: `There are ${max} open streams of this user.` })
  }
  own.add(check)
  checks.set(userId, own)
  return () => {
    own.delete(check)
    if (own.size === 0) checks.delete(userId)
  }
}

// Called when something has happened to a user that may end the access.
export function checkCallerStreams(userId: string): void {
  for (const check of checks.get(userId) ?? []) check()
}
