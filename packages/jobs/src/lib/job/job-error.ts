/** Code of a {@link JobError}. */
export type JobErrorCode =
  | 'job_input'
  | 'job_lease_lost'
  | 'job_timeout'
  | 'job_interrupted'
  | 'job_state'
  | 'job_unknown'

/** An error of the queue: what has happened, and what to do about it. */
export class JobError extends Error {
  override readonly name = 'JobError'
  /** Stable code of the error. */
  readonly code: JobErrorCode

  /**
   * Creates the error.
   * @param code - stable code
   * @param message - what has happened, and what to do about it
   */
  constructor(code: JobErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Thrown by a job that must not be retried, such as one for a user who no longer exists: it is then dead at once.
 * @example
 * ```ts
 * throw new PermanentError('There is no such user.')
 * ```
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError'
}
