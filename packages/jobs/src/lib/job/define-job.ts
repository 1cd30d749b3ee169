import { type Duration, parseDuration } from '@create-api/core/internal/jobs'
import { z } from 'zod'
import { type JobContext } from './job-context.ts'
import { JobError } from './job-error.ts'

/** The time before a further attempt: `first`, then doubled for each failure up to `max`, less up to half of it at random. */
export interface Backoff {
  /**
   * Time before the second attempt.
   * @default '1s'
   */
  first?: Duration | undefined
  /**
   * Longest time between two attempts.
   * @default '1h'
   */
  max?: Duration | undefined
}

/** How a job is run. */
export interface RunOptions {
  /**
   * How often a job that fails is run again; it is dead after that.
   * @default 5
   */
  retries?: number | undefined
  /**
   * Time between attempts.
   * @default { first: '1s', max: '1h' }
   */
  backoff?: Backoff | undefined
  /**
   * Time after which `context.signal` is aborted and the attempt fails.
   * @default '5m'
   */
  timeout?: Duration | undefined
  /**
   * How many of these jobs a process runs at the same time.
   * @default 5
   */
  concurrency?: number | undefined
}

/** Options of {@link defineJob}. */
export interface JobOptions<Schema extends z.ZodType> extends RunOptions {
  /** Stable name, unique in the service: it is stored. */
  name: string
  /** Schema of the input. The input is stored as it was given, and parsed before each attempt. */
  input: Schema
  /**
   * Does the work. It can be run more than once: see `context.attempt`.
   * @param input - the parsed input
   * @param context - the attempt
   */
  run(input: z.output<Schema>, context: JobContext): unknown
  /**
   * Of the jobs with one key, at most one is waiting or running: adding another one does nothing.
   * @param input - the input
   * @default undefined, no key
   */
  key?(input: z.input<Schema>): string | undefined
}

export interface RunSettings {
  readonly retries: number
  readonly backoff: { readonly first: number; readonly max: number }
  readonly timeout: number
  readonly concurrency: number
}

/** A job that can be enqueued. */
export interface Job<Input = unknown> {
  /** Its name. */
  readonly name: string
  /** How it is run; times in milliseconds. */
  readonly settings: RunSettings
  /**
   * Parses a stored input.
   * @param input - the input
   * @returns the parsed input
   * @throws JobError `job_input` when it does not match the schema
   */
  parse(input: unknown): unknown
  /**
   * Returns the key of a job.
   * @param input - the input
   * @returns the key; undefined if it has none
   */
  toKey(input: Input): string | undefined
  /**
   * Runs one attempt.
   * @param input - what `parse` has returned
   * @param context - the attempt
   */
  run(input: unknown, context: JobContext): unknown
}

/**
 * Defines a job: work that is done after the response, in the background, and retried when it fails. List it in `createJobs`, and add
 * it to the queue with `enqueue`.
 * @param options - name, schema of the input, what it does, and how it is retried
 * @returns the job
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * export const sendWelcome = defineJob({
 *   name: 'send-welcome',
 *   input: z.object({ userId: z.string() }),
 *   async run({ userId }) {
 *     await sendMail(userId)
 *   },
 * })
 * ```
 */
export function defineJob<Schema extends z.ZodType>(
  options: JobOptions<Schema>,
): Job<z.input<Schema>> {
  const name = requireName(options.name, 'defineJob({ name })')
  if (typeof options.run !== 'function') {
    throw new TypeError(`defineJob({ run }) of ${name} must be a function.`)
  }
  return {
    name,
    settings: readRunOptions(options, name),
    parse: (input) => parseWith(options.input, input, `The input of the job ${name}`),
    toKey: (input) => options.key?.(input),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `parse` has returned
    run: (input, context) => options.run(input as z.output<Schema>, context),
  }
}

export function requireName(name: unknown, subject: string): string {
  if (typeof name === 'string' && /^[\w.:-]{1,100}$/.test(name)) return name
  throw new TypeError(`${subject} must be 1 to 100 letters, digits, and characters of _ . : -`)
}

export function parseWith(schema: z.ZodType, value: unknown, subject: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new JobError('job_input', `${subject} is not valid.\n${z.prettifyError(result.error)}`)
}

export function readRunOptions(options: RunOptions, name: string): RunSettings {
  const { backoff = {}, concurrency = 5, retries = 5, timeout = '5m' } = options
  const settings = {
    retries: requireInteger(retries, [0, 1000], `retries of ${name}`),
    concurrency: requireInteger(concurrency, [1, 1000], `concurrency of ${name}`),
    timeout: parseDuration(timeout, `timeout of ${name}`),
    backoff: {
      first: parseDuration(backoff.first ?? '1s', `backoff.first of ${name}`),
      max: parseDuration(backoff.max ?? '1h', `backoff.max of ${name}`),
    },
  }
  if (settings.timeout === 0) throw new TypeError(`timeout of ${name} must be longer than 0.`)
  return settings
}

function requireInteger(
  value: unknown,
  [least, most]: readonly [number, number],
  subject: string,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value
  }
  throw new TypeError(`${subject} must be a whole number from ${least} to ${most}.`)
}
