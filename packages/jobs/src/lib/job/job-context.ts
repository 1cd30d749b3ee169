import { type ClientSession } from 'mongoose'

/** One attempt of a job. */
export interface JobContext {
  /** Id of the job, the same for all attempts. */
  readonly id: string
  /**
   * Number of the attempt, from 1. Above 1 an earlier attempt may have done the work or a part of it: it failed, or its process ended.
   */
  readonly attempt: number
  /** Aborted at the timeout, when the process stops, and when another process has taken the job over. */
  readonly signal: AbortSignal
  /** Id of the request that has added the job, if one has. */
  readonly requestId: string | undefined
  /** The time that a schedule has named, for jobs that a schedule has added. */
  readonly scheduledFor: Date | undefined
  /**
   * Runs writes in a transaction that fails if another process has taken the job over.
   * @param write - the writes; called again if the transaction conflicts with another one
   * @returns the result of `write`
   * @throws JobError `job_lease_lost` when another process has the job
   */
  readonly fenced: <Result>(write: (session: ClientSession) => Promise<Result>) => Promise<Result>
  /**
   * Runs writes in a transaction that also completes the job: both are stored, or neither. Call it last.
   * @param write - the writes; called again if the transaction conflicts with another one
   * @returns the result of `write`
   * @throws JobError `job_lease_lost` when another process has the job, or the job is completed already
   */
  readonly complete: <Result>(write: (session: ClientSession) => Promise<Result>) => Promise<Result>
}
