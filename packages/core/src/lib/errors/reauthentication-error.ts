import { ApiError } from './api-error.ts'

// The proof of identity of a session is older than a route allows.
export class ReauthenticationError extends ApiError {
  /** In seconds. */
  readonly maxAge: number

  // `maxAge` in milliseconds.
  constructor(maxAge: number) {
    super('reauthentication_required')
    this.maxAge = Math.floor(maxAge / 1000)
  }
}
