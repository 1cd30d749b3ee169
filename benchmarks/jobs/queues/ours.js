// @ts-check
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue } from '@create-api/jobs'
import { z } from 'zod'

/** @type {import('./queue.d.ts').OpenQueue} */
export async function open({ concurrency, lease, run, url }) {
  const job = defineJob({
    name: 'number',
    input: z.object({ n: z.int() }),
    concurrency,
    run: ({ n }, { fenced }) => run(n, fenced),
  })
  const create = (/** @type {'on' | 'off'} */ worker) =>
    createApi({
      routes: createRegistry(),
      auth: false,
      database: { uri: url },
      log: { level: 'error' },
      jobs: createJobs({ jobs: [job], worker, ...(lease && { lease: `${lease}ms` }) }),
    })
  let api = create('off')
  await api.start({ port: 0, signals: false })
  return {
    add: (n) => enqueue(job, { n }),
    async work() {
      await api.stop()
      api = create('on')
      await api.start({ port: 0, signals: false })
    },
    close: () => api.stop(),
  }
}
