export interface QueueOptions {
  /** URL of the database. */
  readonly url: string
  /** Most jobs that are run at once. */
  readonly concurrency: number
  /** Called at the start of each job. */
  readonly run: (n: number) => void
}

export interface Queue {
  /** Adds a job. */
  readonly add: (n: number) => Promise<unknown>
  /** Starts the worker. */
  readonly work: () => Promise<unknown>
  readonly close: () => Promise<unknown>
}

export type OpenQueue = (options: QueueOptions) => Promise<Queue>
