import { Cron } from 'croner'
import { type Job, requireName } from '../job/define-job.ts'

/** Options of {@link schedule}. */
export interface ScheduleOptions<Input> {
  /** When the job runs: five or six fields of cron, or `@daily` and the like. */
  cron: string
  /**
   * Time zone of the fields, such as `Europe/Berlin`.
   * @default 'UTC'
   */
  timeZone?: string | undefined
  /** Input of the job. */
  input: Input
  /**
   * What happens to runs that were missed because no worker was running: `once` makes up for all of them with one run, `skip` with none.
   * @default 'once'
   */
  missed?: 'once' | 'skip' | undefined
  /**
   * Stable name, unique in the service.
   * @default the name of the job
   */
  name?: string | undefined
}

/** A job that is added to the queue at the times of a cron expression. */
export interface Schedule {
  /** Its name. */
  readonly name: string
  /** The job. */
  readonly job: Job
  /** The input of the job. */
  readonly input: unknown
  /** What happens to runs that were missed. */
  readonly missed: 'once' | 'skip'
  /** Expression and time zone: a schedule with another pattern begins anew. */
  readonly pattern: string
  /**
   * Computes the first time of the schedule after another one.
   * @param after - the other time
   * @returns the time; undefined if there is none
   */
  readonly next: (after: Date) => Date | undefined
}

/**
 * Defines when a job runs by itself. At each time it is added to the queue once, however many processes there are. List the schedule in
 * `createJobs`, with its job.
 * @param job - the job
 * @param options - the times, and the input
 * @returns the schedule
 * @throws TypeError for a cron expression, a time zone or a name that is not valid
 * @throws JobError `job_input` for an input that the job does not accept
 * @example
 * ```ts
 * schedule(purge, { cron: '0 3 * * *', timeZone: 'Europe/Berlin', input: {} })
 * ```
 */
export function schedule<Input>(job: Job<Input>, options: ScheduleOptions<Input>): Schedule {
  const { cron, input, missed = 'once', timeZone = 'UTC' } = options
  const name = requireName(options.name ?? job.name, 'schedule({ name })')
  if (missed !== 'once' && missed !== 'skip') {
    throw new TypeError(`missed of the schedule ${name} must be 'once' or 'skip'.`)
  }
  job.parse(input)
  const times = parseCron(cron, timeZone, name)
  return {
    name,
    job,
    input,
    missed,
    pattern: `${cron} ${timeZone}`,
    next: (after) => times.nextRun(after) ?? undefined,
  }
}

function parseCron(cron: string, timezone: string, name: string): Cron {
  try {
    const times = new Cron(cron, { timezone, paused: true })
    // The time zone is read by the first use.
    times.nextRun()
    return times
  } catch (cause) {
    throw new TypeError(
      `The schedule ${name} has a cron expression or a time zone that is not valid: '${cron}', '${timezone}'. ${String(cause)}`,
      { cause },
    )
  }
}
