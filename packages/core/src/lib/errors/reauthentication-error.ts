import { ApiError } from './api-error.ts'

// The proof of identity of a session is older than a route allows.
export class ReauthenticationError extends ApiError {
  /** In seconds; Infinity where a second factor is missing. */
  readonly maxAge: number

  // `maxAge` in milliseconds.
  constructor(maxAge: number) {
    super(
      'reauthentication_required',
      maxAge === Infinity ? { detail: 'Prove a second factor in this session.' } : {},
    )
    this.maxAge = Math.floor(maxAge / 1000)
  }
}
