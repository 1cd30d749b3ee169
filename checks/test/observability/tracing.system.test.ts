import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { askAll, createService } from '../../../packages/core/test/compatibility/service.ts'

interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const server = 1
const client = 2

describe('OpenTelemetry with its standard instrumentations', () => {
  let spans: Span[]
  let lines: Record<string, unknown>[]
  let responses: string[]

  beforeAll(async () => {
    const inFolder = (name: string): string => path.join(import.meta.dirname, name)
    const loaders = ['--conditions=@create-api/source', '--import', 'tsx']
    const args = [
      ...loaders,
      '--import',
      inFolder('instrumentation.ts'),
      inFolder('traced.process.ts'),
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      maxBuffer: 10_000_000,
    })
    const output = JSON.parse(stdout)
    spans = output.spans
    responses = output.responses
    lines = output.lines.map((line: string) => JSON.parse(line))
  })

  const serverSpan = (url: string): Span | undefined =>
    spans.find(({ kind, attributes }) => kind === server && attributes['url.path'] === url)

  it.each([
    ['/api/notes/7', 'GET /api/notes/:id', 200],
    ['/api/notes', 'POST /api/notes', 200],
    ['/api/notes/broken', 'GET /api/notes/:id', 500],
    ['/own/me', 'GET /own/:name', 200],
    ['/health/live', 'GET /health/live', 200],
    ['/shop/acme/items/7', 'GET /shop/:tenant/items/:id', 200],
    ['/acme/v2/api/items/7', 'GET /:tenant/v2/api/items/:id', 200],
    ['/acme/v2/health/live', 'GET /:tenant/v2/health/live', 200],
  ])('names the span of %s by its pattern', (url, name, status) => {
    const span = serverSpan(url)
    expect(span?.name).toBe(name)
    expect(span?.attributes).toMatchObject({
      'http.route': name.split(' ')[1],
      'http.response.status_code': status,
    })
  })

  it('gives no route to a path that has none', () => {
    const span = serverSpan('/api/nothing/7')
    expect(span?.name).toBe('GET')
    expect(span?.attributes).not.toHaveProperty('http.route')
  })

  it('continues the trace of the caller into the database', () => {
    const span = serverSpan('/api/notes/7')
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    })
    const query = spans.find(({ kind, traceId }) => kind === client && traceId === span?.traceId)
    expect(query?.name).toMatch(/aggregate|count/)
    const parents = spans.map(({ spanId }) => spanId)
    expect(parents).toContain(query?.parentSpanId)
    expect(spans.some(({ name }) => name === 'middleware - pipeline')).toBe(true)
  })

  it('changes no byte of a response', async () => {
    expect(responses).toEqual(await askAll(createService()))
  })

  it('adds the trace to each line of the log', () => {
    const traceIdOf = (url: string): unknown => serverSpan(url)?.traceId
    const find = (msg: string, url: string): Record<string, unknown> | undefined =>
      lines.find((line) => line['msg'] === msg && line['traceId'] === traceIdOf(url))
    expect(find('counted', '/api/notes/7')).toMatchObject({ requestId: expect.any(String) })
    // After the body has been read.
    expect(find('created', '/api/notes')).toBeDefined()
    expect(find('request failed', '/api/notes/broken')).toBeDefined()
    for (const url of ['/api/notes/7', '/api/notes', '/api/notes/broken', '/api/nothing/7']) {
      expect(find('request', url)).toMatchObject({
        path: url,
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      })
    }
  })
})
