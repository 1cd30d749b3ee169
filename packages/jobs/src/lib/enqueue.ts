import {
  currentRequest,
  type Duration,
  findSession,
  parseDuration,
} from '@create-api/core/internal/jobs'
import mongoose, { type ClientSession, type Connection } from 'mongoose'
import { type Job } from './job/define-job.ts'
import { type EnqueuedJob, insertJob } from './queue/insert-job.ts'
import { openStore } from './queue/store.ts'
import { readTraceparent } from './queue/traceparent.ts'

/** Options of {@link enqueue}. */
export interface EnqueueOptions {
  /**
   * The transaction that the job belongs to: it is in the queue exactly if the transaction is committed.
   * @default the surrounding transaction, with `transactionAsyncLocalStorage` of Mongoose; else none
   */
  session?: ClientSession | undefined
  /**
   * Runs the job at this time, by the clock of the database.
   * @default undefined, at once
   */
  at?: Date | undefined
  /**
   * Runs the job after this time, instead of `at`.
   * @default undefined, at once
   */
  after?: Duration | undefined
  /**
   * Of the jobs with one key, at most one is waiting or running: adding another one does nothing.
   * @default the key of the definition
   */
  key?: string | undefined
  /**
   * The connection of the queue.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
}

/**
 * Adds a job to the queue.
 * @param job - the job
 * @param input - its input
 * @param options - session, time and key
 * @returns id of the job, and whether it is new
 * @throws JobError `job_input` when the input does not match the schema
 * @throws TypeError for both `at` and `after`, or a time that is not valid
 * @throws Error when Mongoose is not connected
 * @example
 * ```ts
 * await enqueue(sendWelcome, { userId }, { after: '10m' })
 * ```
 */
export async function enqueue<Input>(
  job: Job<Input>,
  input: Input,
  options: EnqueueOptions = {},
): Promise<EnqueuedJob> {
  job.parse(input)
  const { connection = mongoose.connection, key = job.toKey(input) } = options
  const newJob = {
    name: job.name,
    input,
    key,
    due: readDue(options),
    requestId: currentRequest()?.request.id,
    traceparent: readTraceparent(),
  }
  return insertJob(openStore(connection), newJob, options.session ?? findSession(connection))
}

function readDue({ after, at }: EnqueueOptions): Date | number | undefined {
  if (at === undefined) return after === undefined ? undefined : parseDuration(after, 'after')
  if (after !== undefined) throw new TypeError('enqueue() takes either at or after.')
  if (at instanceof Date && !Number.isNaN(at.getTime())) return at
  throw new TypeError('at must be a valid Date.')
}
