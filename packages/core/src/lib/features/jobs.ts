import { code, oneOf, option, type Options, type Values } from '../options/options.ts'
import { type Logger } from '../logging/logger.ts'
import { type Instruments } from './metrics.ts'

export const jobsOptions = {
  /**
   * Where jobs run: `on` in the process that serves requests, `off` not in this process, `only` in a process that serves no
   * requests. Needs `createJobs` of the package `@create-api/jobs`.
   * @default 'on', in tests 'off'
   */
  worker: option(oneOf('on', 'off', 'only'), {
    env: 'WORKER',
    default: { production: 'on', development: 'on', test: 'off' },
  }),
  create: code<CreateJobs>(),
}

/** Options of jobs that depend on the process. */
export interface JobsConfig extends Omit<Options<typeof jobsOptions>, 'create'> {}

/** The jobs of an API: the value of the option `jobs`, created by `createJobs` of `@create-api/jobs`. */
export interface JobsFeature extends JobsConfig {
  /** Creates the worker of a process. */
  readonly create: CreateJobs
}

export type CreateJobs = (context: JobsContext) => JobsRuntime

export interface JobsValues extends Values<typeof jobsOptions> {}

/** The values that `createApi` passes to the jobs. */
export interface JobsContext {
  /** Whether jobs run in this process. */
  readonly works: boolean
  readonly logger: Logger
  /** Undefined without metrics. */
  readonly instruments: Instruments | undefined
}

/** The jobs of a process, as `createApi` starts and stops them. */
export interface JobsRuntime {
  /** Builds the indexes and starts to work; the database is connected. */
  start(): Promise<void>
  /** Takes no more jobs. */
  drain(): void
  /** Waits for the jobs that run, aborts those that are left, and returns them to the queue. */
  stop(timeLeftMs: number): Promise<void>
}
