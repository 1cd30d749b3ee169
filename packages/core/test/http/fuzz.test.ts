import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemSchema } from './problem-schema.ts'
import { createRandom, type Random } from '../random.ts'
import { exchange } from './raw-http.ts'
import { createNotes } from './service.ts'

// FUZZ_REQUESTS=100000 FUZZ_SEED=1 npx vitest run packages/core/test/http
const count = Number(process.env['FUZZ_REQUESTS'] ?? 1500)
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121)
const parallel = 25

const failures: string[] = []
const logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (_fields: unknown, message: string) => void failures.push(message),
  fatal: (_fields: unknown, message: string) => void failures.push(message),
}
const api = createNotes({ log: { logger } })
let port = 0

beforeAll(async () => {
  const { url } = await api.start({ signals: false })
  port = Number(new URL(url).port)
})

afterAll(() => api.stop())

const paths = [
  '/',
  '/health/live',
  '/health/ready',
  '/api/notes',
  '/api/notes?limit=5',
  '/api/notes/' + '0'.repeat(24),
  '/openapi.json',
  '/nope',
  '/api/notes/x',
  '/api/notes?limit=5&limit=6',
  '/api/notes?__proto__[a]=1',
] as const
const methods = [
  'GET',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'QUERY',
] as const
const bodies = [
  '{"title":"a"}',
  '{"title":"ü😀","tags":["a"]}',
  '{"title":',
  '[]',
  'null',
  '"x"',
  '{"title":"a","title":"b"}',
  '{"__proto__":{"a":1},"title":"x"}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"title":{"$ne":null}}',
  '['.repeat(200),
  '{"a":'.repeat(100),
  '\ufeff{"title":"a"}',
  '{"title":"\\ud800"}',
  '',
  ' ',
  '1e999',
  `{"title":"${'x'.repeat(110_000)}"}`,
  '{"title":1e400}',
] as const
const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-7',
  'text/plain',
  'application/merge-patch+json',
  'multipart/form-data; boundary=x',
  '',
  '/',
  'application/json;;;=',
] as const
const extras = [
  'Accept: text/html',
  'Accept: */*',
  'Accept: application/problem+json',
  'Expect: 100-continue',
  'Expect: x',
  'Content-Encoding: gzip',
  'Content-Encoding: br',
  'Content-Encoding: x',
  'If-Match: "0"',
  'If-None-Match: *',
  'Origin: null',
  'X-Forwarded-For: x, y, z',
  'X-Request-Id: a\tb',
  'X-Request-Id: ok',
  'Authorization: Bearer a.b.c',
  'Authorization: Basic Og==',
  'Cookie: a=b',
  'Connection: close',
  'Connection: Upgrade',
  'Upgrade: h2c',
  'Host: y',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  'Content-Length: 5',
  'Content-Length: x',
  'Range: bytes=0-1',
  'X-Long: ' + 'x'.repeat(17_000),
  'TE: trailers',
  'Trailer: X',
  'Keep-Alive: x',
] as const

function createRequest(random: Random): Buffer {
  return mutate(random.below(3) === 0 ? createPlain(random) : createOdd(random), random)
}

// What a client means to send, so that the schemas see something too.
function createPlain(random: Random): Buffer {
  const body = Buffer.from(random.pick(bodies))
  const path = random.below(2) === 0 ? 'POST /api/notes' : `PATCH /api/notes/${'0'.repeat(24)}`
  const head = `${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function createOdd(random: Random): Buffer {
  const body = Buffer.from(random.pick(bodies))
  const lines = [
    `${random.pick(methods)} ${random.pick(paths)} HTTP/1.${random.below(10) === 0 ? 0 : 1}`,
  ]
  if (random.below(20) > 0) lines.push('Host: x')
  if (random.below(3) > 0) lines.push(`Content-Type: ${random.pick(types)}`)
  for (let extra = random.below(4); extra > 0; extra--) lines.push(random.pick(extras))
  const isChunked = random.below(6) === 0
  if (isChunked) lines.push('Transfer-Encoding: chunked')
  else if (random.below(10) > 0) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const content = isChunked
    ? Buffer.concat([
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from('\r\n0\r\n\r\n'),
      ])
    : body
  return Buffer.concat([head, content])
}

function mutate(bytes: Buffer, random: Random): Buffer {
  let result = bytes
  // Half of them stay whole, so that the deeper stages are reached too.
  for (let changes = random.below(2) * random.below(4); changes > 0; changes--) {
    const at = random.below(result.length)
    const kind = random.below(5)
    if (kind === 0) result[at] = random.below(256)
    else if (kind === 1)
      result = Buffer.concat([result.subarray(0, at), result.subarray(at + 1 + random.below(8))])
    else if (kind === 2)
      result = Buffer.concat([
        result.subarray(0, at),
        Buffer.from([random.below(256)]),
        result.subarray(at),
      ])
    else if (kind === 3)
      result = Buffer.concat([result.subarray(0, at), result.subarray(random.below(at + 1))])
    else result = result.subarray(0, at + 1)
  }
  return result
}

interface Finding {
  request: string
  response: string
  why: string
}

const reached = new Set<number>()

async function check(request: Buffer): Promise<Finding | undefined> {
  const response = await exchange(port, request, 8000)
  for (const status of response.statuses) reached.add(status)
  const why = findFault(response, { mayBeHead: request.includes('HEAD ') })
  return why === undefined
    ? undefined
    : { why, request: request.toString('latin1'), response: response.text }
}

function findFault(
  { text, statuses, bodies: found, closed }: Awaited<ReturnType<typeof exchange>>,
  { mayBeHead }: { mayBeHead: boolean },
): string | undefined {
  if (statuses.some((status) => status >= 500)) return '5xx'
  if (statuses.length === 0) return closed ? undefined : 'hangs'
  for (const [index, body] of found.entries()) {
    if ((statuses[index] ?? 0) < 400 || (body === '' && mayBeHead)) continue
    const result = problemSchema.safeParse(parse(body))
    if (!result.success) return `no problem: ${result.error.message}`
    if (result.data.status !== statuses[index]) return 'status differs'
  }
  return /\n {4}at |mongodb:|node_modules/.test(text) ? 'leak' : undefined
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

describe('mutated requests', () => {
  it(
    `F-12 get a response or are closed, never with a 5xx (${count} of seed ${seed})`,
    async () => {
      const random = createRandom(seed)
      const requests = Array.from({ length: count }, () => createRequest(random))
      const findings: Finding[] = []
      const worker = async (): Promise<void> => {
        for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
          const finding = await check(request)
          if (finding !== undefined) findings.push(finding)
        }
      }
      await Promise.all(Array.from({ length: parallel }, worker))
      expect(findings.slice(0, 3)).toEqual([])
      expect(failures).toEqual([])
      expect([...reached]).toEqual(
        expect.arrayContaining([200, 201, 204, 400, 404, 405, 406, 413, 415, 417, 422, 431]),
      )
      expect(({} as { a?: unknown }).a).toBeUndefined()
      const alive = await fetch(`http://127.0.0.1:${port}/health/live`)
      expect(alive.status).toBe(200)
    },
    count * 100 + 30_000,
  )
})
