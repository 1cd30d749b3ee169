/**
 * State of a job. A `blocked` one follows another of the same order; `dead` has failed too often; `discarded` was removed by an
 * operator.
 */
export type JobState = 'waiting' | 'blocked' | 'running' | 'done' | 'dead' | 'discarded'

export const openStates = ['waiting', 'blocked', 'running'] as const satisfies JobState[]

/** A job as it is stored. All times are those of the database. */
export interface JobRecord {
  readonly _id: string
  readonly name: string
  readonly state: JobState
  readonly input: unknown
  /** When a worker may take it: its time, or the end of the lease while it runs. Missing in all other states. */
  readonly due?: Date
  /** Number of the attempts that have begun. */
  readonly attempt: number
  readonly failures: number
  /** Increased whenever a worker takes it: writes of an earlier one find another number. */
  readonly token: number
  readonly owner?: string
  /** Name and key of an open job with a key. */
  readonly unique?: string
  /** Jobs of one group are run one at a time, by position. */
  readonly group?: string
  readonly position?: number
  readonly createdAt: Date
  readonly startedAt?: Date
  readonly finishedAt?: Date
  /** Time from `due` to the start of the attempt. */
  readonly waitedMs?: number
  readonly error?: StoredError
  readonly requestId?: string
  readonly traceparent?: string
  readonly scheduledFor?: Date
  readonly removeAt?: Date
}

export interface StoredError {
  readonly message: string
  readonly stack?: string | undefined
}
