import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  events,
  type EventStream,
  openEvents,
  sendEvents,
  sendStream,
  stream,
  success,
} from '@create-api/core'
import { type Api } from '@create-api/core'
import { EventEmitter, on, once } from 'node:events'
import http from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const price = z.object({ amount: z.number() })
let api: Api
let url: string
let log: string
let accessLines: string
const subscribers = new Set<EventStream<{ amount: number; note?: string }>>()
const seen: { taken: number; ended: string[]; lastEventId: string | undefined } = {
  taken: 0,
  ended: [],
  lastEventId: undefined,
}
const clock = new EventEmitter()
clock.setMaxListeners(0)

async function* count(until: number): AsyncIterable<string> {
  try {
    for (let row = 0; row < until; row++) {
      seen.taken = row
      await Promise.resolve()
      yield `${row},${'x'.repeat(1000)}\n`
    }
  } finally {
    seen.ended.push('count')
  }
}

const csv = stream({ type: 'text/csv; charset=utf-8' })

const routes = [
  defineRoute({
    method: 'get',
    path: '/csv',
    access: 'public',
    response: csv,
    handler: (_req, res) => sendStream(res, count(10)),
  }),
  defineRoute({
    method: 'get',
    path: '/long',
    access: 'public',
    response: csv,
    handler: (_req, res) => sendStream(res, count(1e9)),
  }),
  defineRoute({
    method: 'get',
    path: '/bytes',
    access: 'public',
    response: stream({ type: 'image/png' }),
    handler: (_req, res) => sendStream(res, Readable.from([Buffer.from([1, 2]), Buffer.from([3])])),
  }),
  defineRoute({
    method: 'get',
    path: '/early',
    access: 'public',
    response: csv,
    handler: (_req, res) => sendStream(res, failing(0)),
  }),
  defineRoute({
    method: 'get',
    path: '/late',
    access: 'public',
    response: csv,
    handler: (_req, res) => sendStream(res, failing(1)),
  }),
  defineRoute({
    method: 'get',
    path: '/slow',
    access: 'public',
    response: csv,
    handler: (_req, res) => sendStream(res, drip()),
  }),
  defineRoute({
    method: 'get',
    path: '/wrong',
    access: 'public',
    response: csv,
    handler: (_req, res) => success(res, 'x'),
  }),
  defineRoute({
    method: 'get',
    path: '/json',
    access: 'public',
    response: price,
    handler: (_req, res) => sendStream(res, ['x']),
  }),
  defineRoute({
    method: 'get',
    path: '/prices',
    access: 'public',
    response: events(price),
    handler: (_req, res) =>
      sendEvents(res, async function* ({ lastEventId, signal }) {
        seen.lastEventId = lastEventId
        try {
          yield { id: '1', event: 'price', retry: 500, data: toPrice() }
          for await (const [amount] of on(clock, 'tick', { signal })) {
            yield { data: { amount: Number(amount) } }
          }
        } finally {
          seen.ended.push('prices')
        }
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/broadcast',
    access: 'public',
    response: events(price.extend({ note: z.string().optional() })),
    handler(_req, res) {
      const subscriber = openEvents<{ amount: number; note?: string }>(res, {
        heartbeat: 100,
        maxBuffered: 200_000,
      })
      subscribers.add(subscriber)
      res.once('close', () => subscribers.delete(subscriber))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/line',
    access: 'public',
    response: events(price),
    handler: (_req, res) =>
      sendEvents(res, async function* () {
        yield { id: 'a\nb', data: { amount: 1 } }
      }),
  }),
]

function toPrice(): { amount: number } {
  return Object.assign({ amount: 1 }, { secret: 'not sent' })
}

async function* failing(after: number): AsyncIterable<string> {
  for (let piece = 0; piece < after; piece++) yield 'piece'
  await Promise.resolve()
  throw new Error('the source failed')
}

async function* drip(): AsyncIterable<string> {
  for (let piece = 0; piece < 5; piece++) {
    yield 'drip'
    await sleep(700)
  }
}

beforeEach(async () => {
  log = ''
  accessLines = ''
  subscribers.clear()
  seen.ended = []
  api = createApi({
    routes: createRegistry().use('/api', createRouter(routes)),
    environment: 'test',
    auth: false,
    database: false,
    rateLimit: false,
    server: {
      handlerTimeout: '1s',
      drainDelay: 0,
      shutdownTimeout: '60s',
      maxConcurrentRequests: 100,
    },
    log: { level: 'warn', format: 'json', stream: { write: (line) => void (log += line) } },
    accessLog: { format: 'json', stream: { write: (line) => void (accessLines += line) } },
  })
  ;({ url } = await api.start({ port: 0, signals: false }))
})

afterEach(() => api.stop())

describe('sendStream', () => {
  it('sends text and bytes with the declared type', async () => {
    const text = await fetch(`${url}/api/csv`)
    expect(text.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await text.text()).split('\n')).toHaveLength(11)
    const bytes = await fetch(`${url}/api/bytes`)
    expect(bytes.headers.get('content-type')).toBe('image/png')
    expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([1, 2, 3])
  })

  it('sends the head for HEAD, without reading the source', async () => {
    seen.taken = -1
    const response = await fetch(`${url}/api/long`, { method: 'HEAD' })
    expect([response.status, seen.taken]).toEqual([200, -1])
  })

  it('reads no faster than the client, and ends the source when it disconnects', async () => {
    const { res, req } = await open('/api/long')
    res.pause()
    await sleep(500)
    const taken = seen.taken
    await sleep(300)
    expect(seen.taken).toBe(taken)
    expect(taken).toBeLessThan(50_000)
    req.destroy()
    await expect.poll(() => seen.ended).toContain('count')
    expect(log).toBe('')
    await expect.poll(() => accessLines).toContain('"aborted":true')
  })

  it('responds with an error if the source fails before its first piece, and closes the connection after it', async () => {
    const early = await fetch(`${url}/api/early`)
    expect([early.status, early.headers.get('content-type')]).toEqual([
      500,
      'application/problem+json; charset=utf-8',
    ])
    const late = fetch(`${url}/api/late`).then((response) => response.text())
    await expect(late).rejects.toThrow()
    expect(log.match(/the source failed/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('is not cut by HANDLER_TIMEOUT', async () => {
    expect(await (await fetch(`${url}/api/slow`)).text()).toBe('drip'.repeat(5))
  })

  it('needs a route whose response is a stream, and that route needs it', async () => {
    expect((await fetch(`${url}/api/json`)).status).toBe(500)
    expect((await fetch(`${url}/api/wrong`)).status).toBe(500)
    expect(log).toContain('sendStream needs a route with response: stream({ type })')
    expect(log).toContain('end its handler with sendStream')
    expect(() => stream({ type: 'csv' })).toThrow("'csv' is not a media type")
  })

  it('requires that Accept allows its type', async () => {
    const headers = { Accept: 'application/json' }
    expect((await fetch(`${url}/api/csv`, { headers })).status).toBe(406)
  })
})

describe('sendEvents', () => {
  it('sends events in the form of the standard, with headers against buffering', async () => {
    const { res, text } = await open('/api/prices', { 'Last-Event-ID': '41' })
    expect(res.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    await expect.poll(text).toBe('retry: 500\nevent: price\nid: 1\ndata: {"amount":1}\n\n')
    expect(seen.lastEventId).toBe('41')
    await expect.poll(() => clock.listenerCount('tick')).toBe(1)
    clock.emit('tick', 2)
    await expect.poll(text).toContain('data: {"amount":2}\n\n')
    res.destroy()
    await expect.poll(() => seen.ended).toEqual(['prices'])
    expect(clock.listenerCount('tick')).toBe(0)
    expect(log).toBe('')
  })

  it('rejects an id of several lines', async () => {
    await fetch(`${url}/api/line`)
      .then((response) => response.text())
      .catch(() => '')
    expect(log).toContain('The id of an event must be one line.')
  })

  it('ends a HEAD request at once', async () => {
    const response = await fetch(`${url}/api/prices`, { method: 'HEAD' })
    expect([response.status, seen.ended]).toEqual([200, []])
  })
})

describe('openEvents', () => {
  it('sends a comment line now and then', async () => {
    const { res, text } = await open('/api/broadcast')
    await expect.poll(text).toContain(':\n\n:\n\n')
    res.destroy()
  })

  it('serves 500 subscribers, whatever one of them does, and ends all of them when it stops', async () => {
    const clients = await Promise.all(Array.from({ length: 500 }, () => open('/api/broadcast')))
    expect(subscribers.size).toBe(500)
    // They are not requests in progress, of which 100 are allowed.
    expect((await fetch(`${url}/api/csv`)).status).toBe(200)
    const [slow, ...others] = clients
    slow?.res.pause()
    const note = 'n'.repeat(20_000)
    for (let amount = 1; amount <= 50; amount++) {
      const data = { amount, ...(amount % 5 === 0 && { note }) }
      for (const subscriber of subscribers) void subscriber.send({ data })
      await sleep(1)
    }
    const last = '{"amount":49}'
    await expect.poll(() => others.every(({ text }) => text().includes(last))).toBe(true)
    const ended = others.map(({ res }) => once(res, 'end'))
    await api.stop()
    await Promise.all(ended)
    expect(subscribers.size).toBe(0)
    slow?.res.destroy()
    expect(log).toBe('')
  })

  it('disconnects a client that takes nothing', async () => {
    const { res } = await open('/api/broadcast')
    res.pause()
    const [subscriber] = subscribers
    const note = 'n'.repeat(100_000)
    for (let amount = 0; amount < 500 && subscribers.size > 0; amount++) {
      void subscriber?.send({ data: { amount, note } })
      await sleep(1)
    }
    await expect.poll(() => subscribers.size).toBe(0)
    expect(subscriber?.signal.aborted).toBe(true)
    res.destroy()
  })
})

it('is described in the OpenAPI document', () => {
  const paths = JSON.parse(JSON.stringify(api.openapi?.paths))
  expect(paths['/api/csv'].get.responses['200'].content).toEqual({
    'text/csv': { schema: { type: 'string' } },
  })
  expect(paths['/api/bytes'].get.responses['200'].content).toEqual({
    'image/png': { schema: { type: 'string', format: 'binary' } },
  })
  const { content, description } = paths['/api/prices'].get.responses['200']
  expect(description).toContain('Server-sent events')
  const schema = JSON.stringify({ content, components: api.openapi?.components })
  expect(Object.keys(content)).toEqual(['text/event-stream'])
  expect(schema).toContain('"amount":{"type":"number"}')
})

interface Client {
  readonly req: http.ClientRequest
  readonly res: http.IncomingMessage
  readonly text: () => string
}

async function open(path: string, headers: http.OutgoingHttpHeaders = {}): Promise<Client> {
  const req = http.get(url + path, { agent: false, headers })
  req.on('error', () => {})
  const [res]: [http.IncomingMessage] = (await once(req, 'response')) as [http.IncomingMessage]
  let text = ''
  res.on('data', (chunk: Buffer) => (text += String(chunk)))
  res.on('error', () => {})
  return { req, res, text: () => text }
}
