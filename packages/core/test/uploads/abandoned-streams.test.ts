import {
  type Api,
  createApi,
  createRegistry,
  createRouter,
  events,
  type EventStream,
  get,
  openEvents,
  sendEvents,
  sendStream,
  stream,
} from '@create-api/core'
import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'

// Streams whose client has disconnected before they are opened, or takes nothing after they are closed.

const text = stream({ type: 'text/plain' })
const tick = events(z.object({ amount: z.number(), note: z.string().optional() }))
const steps = new EventEmitter()
const sources = new Set<Readable>()
const opened: EventStream[] = []
const ended: string[] = []
let warnings: string[] = []
let api: Api
let url: string

const routes = createRouter(
  [
    get('/late-events', { response: tick }, async (_req, res) => {
      await untilAbandoned(res)
      opened.push(openEvents(res, { heartbeat: 20 }))
    }),
    get('/late-source', { response: tick }, async (_req, res) => {
      await untilAbandoned(res)
      await sendEvents(res, async function* () {
        ended.push('source was read')
        yield { data: { amount: 1 } }
      })
      ended.push('sendEvents')
    }),
    get('/late-stream', { response: text }, async (_req, res) => {
      await untilAbandoned(res)
      await sendStream(res, toSource())
      ended.push('sendStream')
    }),
    get('/stream', { response: text }, (_req, res) => sendStream(res, toSource())),
    get('/subscribe', { response: tick }, (_req, res) => {
      const subscriber = openEvents(res, { heartbeat: 50, maxBuffered: 1e9 })
      opened.push(subscriber)
      subscriber.signal.addEventListener('abort', () => ended.push('subscriber'))
      if (res.req.headers['x-close'] === undefined) return
      const note = 'n'.repeat(100_000)
      for (let amount = 0; amount < 300; amount++) void subscriber.send({ data: { amount, note } })
      subscriber.close()
      steps.emit('closed', res)
    }),
  ],
  { access: 'public' },
)

// An endless source, which must be destroyed to be released.
function toSource(): Readable {
  const source = new Readable({ read: () => source.push('x'.repeat(1000)) })
  sources.add(source)
  return source
}

async function untilAbandoned(res: http.ServerResponse): Promise<void> {
  const closed = once(res, 'close')
  steps.emit('called')
  await closed
}

const noteWarning = ({ message }: Error): void => void warnings.push(message)

beforeEach(async () => {
  warnings = []
  ended.length = 0
  opened.length = 0
  sources.clear()
  process.on('warning', noteWarning)
  api = createApi({
    routes: createRegistry().use('/api', routes),
    environment: 'test',
    auth: false,
    database: false,
    rateLimit: false,
    log: { level: 'silent' },
    accessLog: { stream: { write: () => {} } },
    server: { drainDelay: 0 },
  })
  ;({ url } = await api.start({ port: 0, signals: false }))
})

afterEach(async () => {
  for (const source of sources) source.destroy()
  process.off('warning', noteWarning)
  await api.stop()
})

async function abandon(path: string): Promise<void> {
  const called = once(steps, 'called')
  const req = http.get(`${url}/api${path}`, { agent: false })
  req.on('error', () => {})
  await called
  req.destroy()
}

it('openEvents for a client that is gone is aborted, and leaves no timer', async () => {
  const clear = vi.spyOn(globalThis, 'clearInterval')
  await abandon('/late-events')
  await expect.poll(() => opened[0]?.signal.aborted).toBe(true)
  expect(clear).toHaveBeenCalled()
  clear.mockRestore()
  await opened[0]?.send({ data: { amount: 1 } })
})

it('sendEvents for a client that is gone ends without reading its source', async () => {
  await abandon('/late-source')
  await expect.poll(() => ended).toEqual(['sendEvents'])
})

it('sendStream for a client that is gone ends and destroys its source', async () => {
  await abandon('/late-stream')
  await expect.poll(() => ended).toEqual(['sendStream'])
  expect([...sources].map(({ destroyed }) => destroyed)).toEqual([true])
})

it('sendStream destroys the source of a HEAD request', async () => {
  await fetch(`${url}/api/stream`, { method: 'HEAD' })
  expect([...sources].map(({ destroyed }) => destroyed)).toEqual([true])
})

it('openEvents lets its caller listen before a HEAD request ends', async () => {
  await fetch(`${url}/api/subscribe`, { method: 'HEAD' })
  await expect.poll(() => ended).toEqual(['subscriber'])
})

it('a client that takes nothing after close() is disconnected, and nothing else happens', async () => {
  const closed: Promise<[http.ServerResponse]> = once(steps, 'closed') as never
  const req = http.get(`${url}/api/subscribe`, { agent: false, headers: { 'X-Close': '1' } })
  req.on('error', () => {})
  req.on('response', (res) => res.on('error', () => {}).pause())
  const [res] = await closed
  await expect.poll(() => res.destroyed).toBe(true)
  req.destroy()
  expect((await fetch(`${url}/api/stream`, { method: 'HEAD' })).status).toBe(200)
  expect(warnings).toEqual([])
})
