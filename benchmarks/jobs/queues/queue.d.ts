/** Makes a write that is rejected when another process has taken the job over, where the queue can do that. */
export type Fenced = (write: () => Promise<void>) => Promise<void>

export interface QueueOptions {
  /** URL of the database. */
  readonly url: string
  /** Most jobs that are run at once. */
  readonly concurrency: number
  /** Runs a job. */
  readonly run: (n: number, fenced: Fenced) => unknown
  /**
   * Milliseconds after which the job of a process that has ended is given to another one.
   * @default the one of the queue
   */
  readonly lease?: number
}

export interface Queue {
  /** Adds a job. */
  readonly add: (n: number) => Promise<unknown>
  /** Starts the worker. */
  readonly work: () => Promise<unknown>
  readonly close: () => Promise<unknown>
}

export type OpenQueue = (options: QueueOptions) => Promise<Queue>
