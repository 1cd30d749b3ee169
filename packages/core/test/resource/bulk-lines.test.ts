import { EventEmitter, once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withBulk } from '../../src/bulk.ts'
import {
  ApiError,
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  patch,
  post,
  success,
} from '../../src/index.ts'
import { decimal } from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const createNote = z.strictObject({ title: z.string().max(5000), price: decimal().optional() })
const note = z.object({ id: z.int(), title: z.string(), price: z.unknown() })

let stored: string[] = []
let onCreate: ((title: string) => unknown) | undefined
let isAdmitted = true
const admitted = defineRule('admitted', () => isAdmitted)

function createNotes(idleTimeout?: string) {
  return withBulk(
    createRouter(
      [
        post('/', { body: createNote, response: note, status: 201 }, async (req, res) => {
          const { title, price } = req.valid.body
          await onCreate?.(title)
          stored.push(title)
          success(res.status(201), { id: stored.length, title, price: String(price) })
        }),
        patch('/:id', { params: z.object({ id: z.string() }), body: createNote }, () => {
          throw new ApiError('conflict')
        }),
      ],
      { access: admitted },
    ),
    { limit: 2, idleTimeout },
  )
}

const api = createApi({
  name: 'lines',
  database: false,
  auth: false,
  authenticator(req) {
    req.user = { id: '1', email: 'a@example.org', roles: [] }
  },
  rateLimit: false,
  log: { level: 'silent' },
  server: { requestTimeout: '1s', headersTimeout: '1s' },
  body: { limit: '6kb', maxDepth: 4 },
  routes: createRegistry().use('/api/notes', createNotes()).use('/api/idle', createNotes('200ms')),
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())
afterEach(() => {
  stored = []
  onCreate = undefined
  isAdmitted = true
})

const toLine = (title: unknown): string =>
  `${JSON.stringify({ action: 'create', body: { title } })}\n`

const type = { 'Content-Type': 'application/x-ndjson' }

function send(body: string | Buffer, more: Record<string, string> = {}, path = '/api/notes/bulk') {
  return fetch(client.url + path, { method: 'POST', headers: { ...type, ...more }, body })
}

async function readResults(response: Response): Promise<unknown[]> {
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const text = await response.text()
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

// A request whose body the test writes line by line.
function open(path = '/api/notes/bulk'): ClientRequest {
  const url = new URL(client.url + path)
  const outgoing = httpRequest(url, { method: 'POST', headers: type, agent: false })
  outgoing.on('error', () => {})
  return outgoing
}

async function toResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [incoming] = await once(outgoing, 'response')
  return incoming
}

function toClosed(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => void outgoing.once('close', resolve))
}

describe('a bulk request of lines', () => {
  it('has a result for each line, with its number, and a report', async () => {
    const lines = [
      toLine('a'),
      '\n',
      '{"action":\n',
      `${JSON.stringify({ action: 'patch', id: 1, body: { title: 'b' } })}\r\n`,
      toLine(1),
      '"text"\n',
      '{"action":"create","body":{"title":"c","price":12345678901234567.89}}',
    ]
    const results = await readResults(await send(lines.join('')))
    expect(results).toMatchObject([
      { line: 1, status: 201, data: { id: 1, title: 'a' } },
      { line: 3, status: 400, error: { code: 'malformed_json' } },
      { line: 4, status: 409, error: { code: 'conflict' } },
      { line: 5, status: 422, error: { errors: [{ pointer: '#/body/title' }] } },
      { line: 6, status: 422, error: { errors: [{ pointer: '#' }] } },
      { line: 7, status: 422, error: { errors: [{ pointer: '#/body/price' }] } },
      { report: { lines: 6, succeeded: 1, failed: 5 } },
    ])
  })

  it('continues after a line that is too long, too deep, not UTF-8 or cannot be stored', async () => {
    const lines = [
      Buffer.from(toLine('x'.repeat(7000))),
      Buffer.from(toLine([[[[[1]]]]])),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('{"action":"create","body":{"$where":1}}\n'),
      Buffer.from('{"action":"create","body":{"title":"\\ud800"}}\n'),
      Buffer.from(toLine('a')),
    ]
    const results = await readResults(await send(Buffer.concat(lines)))
    expect(results).toMatchObject([
      { line: 1, status: 413, error: { code: 'payload_too_large' } },
      { line: 2, status: 400, error: { code: 'too_deep' } },
      { line: 3, status: 400, error: { code: 'invalid_encoding' } },
      { line: 4, status: 422, error: { errors: [{ pointer: '#/body/%24where' }] } },
      { line: 5, status: 422, error: { errors: [{ pointer: '#/body/title' }] } },
      { line: 6, status: 201 },
      { report: { succeeded: 1, failed: 5 } },
    ])
  })

  it('has no limit of lines, may be compressed, and may be empty', async () => {
    const body = gzipSync(toLine('a').repeat(3000))
    const results = await readResults(await send(body, { 'Content-Encoding': 'gzip' }))
    expect(results.at(-1)).toEqual({ report: { lines: 3000, succeeded: 3000, failed: 0 } })
    expect(stored).toHaveLength(3000)
    expect(await readResults(await send('\n\n'))).toEqual([
      { report: { lines: 0, succeeded: 0, failed: 0 } },
    ])
    expect((await send('no gzip', { 'Content-Encoding': 'gzip' })).status).toBe(400)
    expect((await send(body, { 'Content-Encoding': 'zip' })).status).toBe(415)
  })

  it('cannot become more than 100 times as long by decompression', async () => {
    const compressed = { 'Content-Encoding': 'gzip' }
    const empty = await send(gzipSync('\n'.repeat(11_000_000)), compressed)
    expect(empty.status).toBe(413)
    // Of a response that has begun, the report is missing.
    const lines = toLine('a') + toLine('b'.repeat(6000)).repeat(2000)
    const begun = await send(gzipSync(lines), compressed)
    expect(begun.status).toBe(200)
    await expect(begun.text()).rejects.toThrow()
    expect(stored.length).toBeLessThan(2000)
  })

  it('is neither atomic nor repeatable', async () => {
    const atomic = await send(toLine('a'), {}, '/api/notes/bulk?atomic=true')
    expect(atomic.status).toBe(400)
    expect(await atomic.json()).toMatchObject({
      errors: [
        { in: 'query', pointer: '#/atomic', detail: expect.stringContaining('only for JSON') },
      ],
    })
    expect((await send(toLine('a'), {}, '/api/notes/bulk?x=1')).status).toBe(400)
    const keyed = await send(toLine('a'), { 'Idempotency-Key': 'one' })
    expect(keyed.status).toBe(400)
    expect(await keyed.json()).toMatchObject({
      errors: [{ in: 'header', pointer: '#/Idempotency-Key' }],
    })
    expect(stored).toEqual([])
  })

  it('accepts a client that accepts only lines', async () => {
    const response = await send(toLine('a'), { Accept: 'application/x-ndjson' })
    expect(await readResults(response)).toHaveLength(2)
    expect((await send(toLine('a'), { Accept: 'text/csv' })).status).toBe(406)
  })

  it('sends each result before the next line has arrived, for longer than a request may take', async () => {
    const outgoing = open()
    outgoing.write(toLine('0'))
    const incoming = await toResponse(outgoing)
    const results = createInterface({ input: incoming })[Symbol.asyncIterator]()
    for (let index = 0; index < 8; index++) {
      const { value } = await results.next()
      expect(JSON.parse(value)).toMatchObject({ line: index + 1, data: { title: String(index) } })
      await wait(400)
      outgoing.write(toLine(String(index + 1)))
    }
    outgoing.end()
    await results.next()
    expect(JSON.parse((await results.next()).value)).toEqual({
      report: { lines: 9, succeeded: 9, failed: 0 },
    })
  })

  it('reads no further than it processes', async () => {
    const gate = new EventEmitter()
    onCreate = () => once(gate, 'open')
    const outgoing = open()
    const line = toLine('x'.repeat(4000))
    let written = 0
    // Buffers of sockets hold a few megabytes.
    while (written < 64_000_000) {
      written += line.length
      if (!outgoing.write(line)) {
        const drained = await Promise.race([once(outgoing, 'drain'), wait(1000, undefined)])
        if (drained === undefined) break
      }
    }
    expect(written).toBeLessThan(32_000_000)
    expect(stored).toEqual([])
    outgoing.destroy()
    gate.emit('open')
    await waitUntil(() => stored.length > 0)
  })

  it('stops when the client disconnects, and drops a line that is not complete', async () => {
    const outgoing = open()
    outgoing.write(toLine('a') + toLine('b') + toLine('c').slice(0, -2))
    const incoming = await toResponse(outgoing)
    incoming.resume()
    await waitUntil(() => stored.length === 2)
    incoming.on('error', () => {})
    outgoing.destroy()
    await wait(100)
    expect(stored).toEqual(['a', 'b'])
    const busy = open()
    onCreate = (title) => {
      if (title === '50') busy.destroy()
      return wait(1)
    }
    busy.end(Array.from({ length: 3000 }, (_, index) => toLine(String(index))).join(''))
    await waitUntil(() => busy.destroyed)
    await wait(200)
    expect(stored.length).toBeGreaterThan(50)
    expect(stored.length).toBeLessThan(3000)
  })

  it('closes the connection of a client that neither sends nor reads', async () => {
    const outgoing = open('/api/idle/bulk')
    outgoing.write(toLine('a'))
    const incoming = await toResponse(outgoing)
    let text = ''
    incoming.on('data', (chunk) => (text += chunk))
    await expect(once(incoming, 'end')).rejects.toThrow('aborted')
    expect(text).not.toContain('report')
    const deaf = open('/api/idle/bulk')
    const body = toLine('x'.repeat(4000)).repeat(10_000)
    deaf.end(body)
    const unread = await toResponse(deaf)
    unread.on('error', () => {})
    await toClosed(deaf)
    expect(stored.length).toBeLessThan(10_000)
  })

  it('checks the access of its lines while it runs', async () => {
    onCreate = (title) => {
      if (title === '2') isAdmitted = false
    }
    const results = await readResults(await send(['1', '2', '3'].map(toLine).join('')))
    expect(results).toMatchObject([{ status: 201 }, { status: 201 }, { status: 403 }, {}])
    isAdmitted = false
    expect((await send(toLine('a'))).status).toBe(403)
  })
})

async function waitUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) await wait(10)
}
