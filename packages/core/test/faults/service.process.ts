import cluster from 'node:cluster'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type Api,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '@create-api/core'
import mongoose, { Schema } from 'mongoose'
import { z } from 'zod'

// A service to be hurt: started by service-process.ts, configured by its environment.
if (cluster.isWorker && process.env['WORKER_FAILS'] === '1') process.exit(7)

const Note = mongoose.model('Note', new Schema({ text: { type: String, required: true } }))
const text = z.string().max(100)
// Node counts the time between two looks, which it means to take this often.
const resolution = 10
const loop = monitorEventLoopDelay({ resolution })
loop.enable()

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const notes = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    response: z.object({ count: z.number() }),
    handler: async (_req, res) => success(res, { count: await Note.estimatedDocumentCount() }),
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: z.strictObject({ text }),
    response: z.object({ text }),
    status: 201,
    handler: async (req, res) => {
      await Note.create(req.valid.body)
      success(res.status(201), req.valid.body)
    },
  }),
])

const trouble = createRouter([
  defineRoute({
    method: 'get',
    path: '/pid',
    access: 'public',
    response: z.object({
      pid: z.number(),
      rss: z.number(),
      connections: z.number(),
      handles: z.number(),
    }),
    handler: async (_req, res) => {
      const { pid } = process
      const [rss, connections] = [process.memoryUsage.rss(), await countConnections()]
      // Timers come and go with the requests; what leaks is everything else.
      const handles = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length
      success(res, { pid, rss, connections, handles })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/loop-delay',
    access: 'public',
    response: z.object({ p99: z.number() }),
    handler: (_req, res) => {
      const p99 = Math.max(0, loop.percentile(99) / 1e6 - resolution)
      // The next response reports the time from here on.
      loop.reset()
      success(res, { p99 })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/heap',
    access: 'public',
    response: z.object({ heap: z.number() }),
    handler: (_req, res) => {
      collectGarbage()
      success(res, { heap: process.memoryUsage().heapUsed })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/wait/:ms',
    access: 'public',
    params: z.object({ ms: z.string().regex(/^\d{1,5}$/) }),
    response: z.object({ waited: z.string() }),
    handler: async (req, res) => {
      await sleep(Number(req.valid.params.ms))
      success(res, { waited: req.valid.params.ms })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/crash',
    access: 'public',
    handler: (_req, res) => {
      setTimeout(() => void Promise.reject(new Error('detached')), 10)
      success(res)
    },
  }),
])

function countConnections(): Promise<number> {
  return new Promise((resolve) => {
    if (api.server) api.server.getConnections((_error, count) => resolve(count))
    else resolve(0)
  })
}

const routes = createRegistry().use('/api/notes', notes).use('/api/trouble', trouble)
// Windows of authentication in seconds, where those of minutes and hours are too long to wait for.
const window = Number(process.env['AUTH_WINDOW'])
const limits = {
  perAddress: { register: { limit: 10, window }, refresh: { limit: 600, window } },
  perSession: { limit: 60, window },
}
const storeTimeoutMs = Number(process.env['STORE_TIMEOUT_MS'] ?? 250)
export const api: Api = createApi({
  name: 'faults',
  routes,
  health: { cacheMs: 0 },
  rateLimit: { storeTimeoutMs },
  ...(window > 0 ? { auth: { limits } } : {}),
})
const { url } = await api.start()

// As a program that stops the API itself: it ends when nothing keeps it alive.
process.once('message', () => void api.stop().then(() => process.disconnect()))
process.send?.({ url })
