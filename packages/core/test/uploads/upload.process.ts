import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  multipart,
  success,
} from '@create-api/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

// A service that takes large files; its temporary files are in the folder of the first argument. It reports
// its URL, and the resident memory whenever it is asked to.
const [, , directory = ''] = process.argv
const upload = defineRoute({
  method: 'post',
  path: '/',
  access: 'public',
  body: multipart({ files: { file: { maxSize: '2gb' } }, directory }),
  response: z.object({ size: z.int() }),
  handler: async (req, res) => {
    const { size } = req.valid.body.file
    // Large enough to be seen while it is there.
    if (size < 100) await sleep(60_000)
    success(res, { size })
  },
})
const api = createApi({
  routes: createRegistry().use('/api/files', createRouter([upload])),
  environment: 'test',
  auth: false,
  database: false,
  rateLimit: false,
  log: { level: 'silent' },
  accessLog: { format: false },
  server: { requestTimeout: '1h', drainDelay: 0, shutdownTimeout: '5s' },
})
const { url } = await api.start({ port: 0 })
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage.rss())
})
process.send?.({ url })
