import { once } from 'node:events'
import { type z } from 'zod'
import { defineJob, type Job, type JobOptions } from './define-job.ts'

/** What is used of a `Queue` of BullMQ. */
export interface BullMqQueue {
  /**
   * Adds a job.
   * @param name - name of the job
   * @param data - its data
   * @param options - its options
   */
  add(name: string, data: object, options: { jobId: string }): Promise<unknown>
}

/** Options of {@link forwardToBullMq}. */
export interface ForwardOptions<Schema extends z.ZodType<object, object>> extends Omit<
  JobOptions<Schema>,
  'run'
> {
  /** The queue, a `Queue` of BullMQ. */
  queue: BullMqQueue
  /**
   * Options of the job in BullMQ, such as `attempts`.
   * @default {}
   */
  options?: object | undefined
}

/**
 * Defines a job that is handed to a queue of BullMQ, which does the work. It is added with `enqueue` in the transaction of the caller, and
 * handed over after the commit, also where Redis was not available in the meantime. The job in BullMQ has the same name, the parsed input as
 * its data, and the same id: while BullMQ keeps a job, it ignores a second one with its id.
 * @param options - name, schema of the input, the queue, and how handing over is retried: by default 1,000 times, with a minute between attempts at
 * most, and a timeout of 10 seconds
 * @returns the job, for `createJobs`
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * import { Queue } from 'bullmq'
 *
 * export const resize = forwardToBullMq({
 *   name: 'resize',
 *   input: z.object({ imageId: z.string() }),
 *   queue: new Queue('images', { connection: { url: 'redis://localhost:6379' } }),
 * })
 * ```
 */
export function forwardToBullMq<Schema extends z.ZodType<object, object>>(
  options: ForwardOptions<Schema>,
): Job<z.input<Schema>> {
  const { options: added, queue, ...job } = options
  if (typeof queue?.add !== 'function') {
    throw new TypeError(`forwardToBullMq({ queue }) of ${job.name} must be a Queue of BullMQ.`)
  }
  return defineJob({
    retries: 1000,
    backoff: { max: '1m' },
    timeout: '10s',
    ...job,
    async run(input, { id, signal }) {
      const aborted = once(signal, 'abort').then(() => signal.throwIfAborted())
      // Without Redis, the queue waits without end.
      await Promise.race([queue.add(job.name, input, { ...added, jobId: id }), aborted])
    },
  })
}
