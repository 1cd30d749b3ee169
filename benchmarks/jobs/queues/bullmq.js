// @ts-check
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'

/** @type {import('./queue.d.ts').OpenQueue} */
export async function open({ concurrency, lease, run, url }) {
  const connection = new Redis(url, { maxRetriesPerRequest: null })
  const queue = new Queue('numbers', { connection })
  /** @type {Worker[]} */
  const workers = []
  return {
    add: (n) => queue.add('number', { n }),
    async work() {
      const worker = new Worker('numbers', async ({ data }) => run(data.n, (write) => write()), {
        connection,
        concurrency,
        ...(lease && { lockDuration: lease, stalledInterval: lease, maxStalledCount: 1000 }),
      })
      workers.push(worker)
      await worker.waitUntilReady()
    },
    async close() {
      for (const worker of workers) await worker.close()
      await queue.close()
      connection.disconnect()
    },
  }
}
