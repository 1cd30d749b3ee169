import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { catalogue, type ErrorCode, type ErrorDefinition } from '../errors/catalogue.ts'
import { errorHandler, type ErrorHandlerOptions, type FormattedError } from './error-handler.ts'
import { requestId } from './request-id.ts'
import { createStage } from '../stage/stage.ts'

interface LogEntry {
  fields: Record<string, unknown>
  message: string
}

function createApp(
  handler: RequestHandler,
  options: ErrorHandlerOptions = {},
): { app: Express; log: LogEntry[] } {
  const log: LogEntry[] = []
  const add = (fields: Record<string, unknown>, message: string): void =>
    void log.push({ fields, message })
  const app = express()
  app.use(requestId())
  app.use('/fail', handler)
  app.get('/alive', (_req, res) => {
    res.json({})
  })
  app.use(errorHandler({ logger: { error: add, warn: add }, ...options }))
  return { app, log }
}

function throwing(thrown: unknown): RequestHandler {
  return () => {
    throw thrown
  }
}

const problemSchema = z.strictObject({
  type: z.url(),
  title: z.string().min(1),
  status: z.int().min(400).max(599),
  detail: z.string().optional(),
  instance: z.string().regex(/^\/requests\/[\w-]+$/),
  code: z.enum(Object.keys(catalogue)),
  requestId: z.string().regex(/^[\w-]{1,64}$/),
  errors: z
    .array(
      z.strictObject({
        in: z.enum(['body', 'query', 'params', 'header']),
        pointer: z.string().startsWith('#'),
        code: z.string(),
        detail: z.string(),
      }),
    )
    .optional(),
})

describe('errorHandler', () => {
  it.each(Object.keys(catalogue))('ERR-01 returns %s as a problem', async (code) => {
    const error = new ApiError(code as ErrorCode, {
      detail: 'secret 5xx detail',
      errors: [{ in: 'body', pointer: '#/a', code: 'custom', detail: 'is wrong' }],
    })
    const { app } = createApp(throwing(error))
    const response = await request(app).get('/fail')
    expect(response.status).toBe(error.status)
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.headers['cache-control']).toBe('no-store')
    const problem = problemSchema.parse(response.body)
    expect(problem).toMatchObject({
      code,
      status: response.status,
      title: error.message.length > 0 ? catalogue[code as ErrorCode].title : '',
    })
    expect(problem.type).toBe(`urn:problem-type:create-api/${code}`)
    expect(problem.requestId).toBe(response.headers['x-request-id'])
    expect(problem.instance).toBe(`/requests/${problem.requestId}`)
    expect(problem.errors === undefined).toBe(response.status >= 500)
    expect(problem.detail === undefined).toBe(response.status >= 500)
    expect(response.headers['retry-after'] !== undefined).toBe(
      response.status >= 503 || code === 'refresh_conflict',
    )
    expect(response.headers['www-authenticate'] ?? '').toMatch(
      response.status === 401 ? /^Bearer realm="api"/ : /^$/,
    )
  })

  it('keeps status and header fields of an error of Express', async () => {
    const { app } = createApp((_req, res) => res.sendFile(import.meta.filename))
    const response = await request(app).get('/fail').set('Range', 'bytes=9999999-')
    expect(response.status).toBe(416)
    expect(response.headers['content-range']).toMatch(/^bytes \*\/\d+$/)
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.body).toMatchObject({ status: 416, code: 'range_not_satisfiable' })
  })

  it.each([
    ['a string', 'mongodb://u:p@h'],
    ['{ status: 200 }', { status: 200 }],
    ["{ status: 'x' }", { status: 'x' }],
    ['a number', 404],
    ['an Error', new Error('mongodb://u:p@h/x')],
    ['an Error with status 200', Object.assign(new Error('x'), { status: 200 })],
  ])('ERR-02 ERR-04 returns 500 and keeps running when %s is thrown', async (_name, thrown) => {
    for (const handler of [throwing(thrown), () => Promise.reject(thrown)]) {
      const { app, log } = createApp(handler)
      const response = await request(app).get('/fail')
      const { type: _type, instance: _instance, requestId: id, ...rest } = response.body
      expect(rest).toEqual({ title: 'Something went wrong.', status: 500, code: 'internal_error' })
      expect(log).toHaveLength(1)
      expect(log[0]?.fields).toMatchObject({ requestId: id, status: 500, err: thrown })
      await request(app).get('/alive').expect(200)
    }
  })

  it('ERR-02 sends extension members, which replace no others, and none with a 5xx', async () => {
    const extensions = { shippedAt: '2026-01-31', status: 200, code: 'other' }
    const conflict = createApp(throwing(new ApiError('conflict', { extensions })))
    const { body } = await request(conflict.app).get('/fail').expect(409)
    expect(body).toMatchObject({ shippedAt: '2026-01-31', status: 409, code: 'conflict' })
    const failure = createApp(throwing(new ApiError('service_unavailable', { extensions })))
    const response = await request(failure.app).get('/fail').expect(503)
    expect(response.body).not.toHaveProperty('shippedAt')
  })

  it.each([null, undefined, 0, ''])('ERR-04 returns 500 when a stage throws %j', async (thrown) => {
    const stages = [
      createStage(() => {
        throw thrown
      }),
      createStage(() => Promise.reject(thrown)),
    ]
    for (const stage of stages) {
      const { app } = createApp(stage)
      await request(app).get('/fail').expect(500)
      await request(app).get('/alive').expect(200)
    }
  })

  it('ERR-04 closes the connection when the response has started', async () => {
    const { app, log } = createApp((_req, res) => {
      res.setHeader('Content-Type', 'text/plain')
      res.write('half')
      throw new Error('too late')
    })
    await expect(request(app).get('/fail')).rejects.toThrow(/aborted|hang up|terminated/)
    expect(log).toHaveLength(1)
    await request(app).get('/alive').expect(200)
  })

  it('ERR-04 does not change a complete response', async () => {
    const { app, log } = createApp((_req, res) => {
      res.json({ done: true })
      throw new Error('afterwards')
    })
    await request(app).get('/fail').expect(200, { done: true })
    expect(log).toHaveLength(1)
  })

  it('drops the headers of the success that did not come about', async () => {
    const { app } = createApp((_req, res) => {
      res.setHeader('ETag', '"1"').setHeader('Location', '/x').setHeader('Content-Encoding', 'gzip')
      res.setHeader('Cache-Control', 'public, max-age=60').setHeader('Content-Length', '5')
      res.setHeader('X-Own', 'kept')
      throw new ApiError('not_found')
    })
    const response = await request(app).get('/fail').expect(404)
    expect(response.headers).toMatchObject({ 'x-own': 'kept', 'cache-control': 'no-store' })
    for (const name of ['etag', 'location', 'content-encoding']) {
      expect(response.headers).not.toHaveProperty(name)
    }
    expect(response.body.code).toBe('not_found')
  })

  it('TOK-12 gives the reason in WWW-Authenticate only when a token was sent', async () => {
    const headerOf = async (code: ErrorCode | ErrorDefinition): Promise<string | undefined> => {
      const { app } = createApp(throwing(new ApiError(code)))
      return (await request(app).get('/fail')).headers['www-authenticate']
    }
    expect(await headerOf('unauthenticated')).toBe('Bearer realm="api"')
    expect(await headerOf('invalid_credentials')).toBe('Bearer realm="api"')
    expect(await headerOf('invalid_token')).toBe('Bearer realm="api", error="invalid_token"')
    expect(await headerOf('session_revoked')).toBe('Bearer realm="api", error="invalid_token"')
    expect(await headerOf('token_expired')).toBe(
      'Bearer realm="api", error="invalid_token", error_description="The access token expired"',
    )
    expect(await headerOf('forbidden')).toBeUndefined()
    const own = { code: 'code_required', status: 401, title: 'A code is required.' }
    expect(await headerOf(own)).toBe('Bearer realm="api"')
  })

  it('sends the headers of the error, over its own', async () => {
    const { app } = createApp(
      throwing(
        new ApiError('service_unavailable', { headers: { 'Retry-After': '42', 'X-A': 'b' } }),
      ),
    )
    const response = await request(app).get('/fail')
    expect(response.headers).toMatchObject({ 'retry-after': '42', 'x-a': 'b' })
  })

  it('puts the base of the app before the code', async () => {
    const { app } = createApp(throwing(new ApiError('not_found')), {
      problemBase: 'https://docs.example.com/problems',
    })
    const response = await request(app).get('/fail')
    expect(response.body.type).toBe('https://docs.example.com/problems/not_found')
  })

  it('lets format replace body and media type, and nothing else', async () => {
    const { app } = createApp(throwing(Object.assign(new Error('who?'), { status: 401 })), {
      format: (error, req) => ({
        contentType: 'application/vnd.api+json',
        body: { errors: [{ status: String(error.status), code: error.code, id: req.id }] },
      }),
    })
    const response = await request(app).get('/fail').expect(401)
    expect(response.headers['content-type']).toBe('application/vnd.api+json')
    expect(response.headers['www-authenticate']).toBe('Bearer realm="api"')
    expect(JSON.parse(response.text)).toEqual({
      errors: [{ status: '401', code: 'unauthenticated', id: response.headers['x-request-id'] }],
    })
  })

  it('sends a formatted string as it is, and a problem when format fails', async () => {
    const text = createApp(throwing(new ApiError('not_found')), {
      format: () => ({ contentType: 'text/plain', body: 'nothing here' }),
    })
    expect((await request(text.app).get('/fail')).text).toBe('nothing here')
    const broken = createApp(throwing(new ApiError('not_found')), {
      format: () => {
        throw new Error('bug')
      },
    })
    const response = await request(broken.app).get('/fail').expect(404)
    expect(response.body.code).toBe('not_found')
    expect(broken.log.map(({ message }) => message)).toEqual(['errors.format failed'])
  })

  it.each([
    ['nothing', undefined],
    ['no media type', { body: 'text' }],
    ['a media type of two lines', { contentType: 'text/plain\r\nA: b', body: 'text' }],
    ['no body', { contentType: 'application/json' }],
    ['a body that is not JSON', { contentType: 'application/json', body: 1n }],
    ['a promise', Promise.resolve({ contentType: 'text/plain', body: 'text' })],
  ])('sends a problem when format returns %s', async (_, formatted) => {
    const { app, log } = createApp(throwing(new ApiError('not_found')), {
      format: () => formatted as FormattedError,
    })
    const response = await request(app).get('/fail').expect(404)
    expect(response.body.code).toBe('not_found')
    expect(log.map(({ message }) => message)).toEqual(['errors.format failed'])
  })

  it('responds to HEAD without a body', async () => {
    const { app } = createApp(throwing(new ApiError('not_found')))
    const response = await request(app).head('/fail').expect(404)
    expect(response.text).toBeUndefined()
    expect(Number(response.headers['content-length'])).toBeGreaterThan(100)
  })

  it('ERR-06 gives a request an id that has none, and logs the path without secrets', async () => {
    const log: LogEntry[] = []
    const logger = {
      error: (fields: Record<string, unknown>, message: string) =>
        void log.push({ fields, message }),
      warn: () => {},
    }
    const app = express()
    app.get('/x', throwing(new Error('bug')))
    app.use(errorHandler({ logger }))
    const response = await request(app).get('/x?access_token=hunter2').expect(500)
    expect(response.body.requestId).toBe(response.headers['x-request-id'])
    expect(log[0]?.fields).toMatchObject({
      requestId: response.body.requestId,
      method: 'GET',
      path: '/x?access_token=[redacted]',
    })
  })

  it('logs load shedding as a warning without a stack', async () => {
    const { app, log } = createApp(throwing(new ApiError('overloaded')))
    await request(app).get('/fail').expect(503)
    expect(log).toEqual([
      {
        fields: expect.not.objectContaining({ err: expect.anything() }),
        message: 'request rejected',
      },
    ])
  })

  it('sends the response to a client that is still sending, then closes the connection', async () => {
    const { app } = createApp(throwing(new ApiError('payload_too_large')))
    const server = app.listen(0)
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('POST /fail HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    const feed = setInterval(() => socket.write('x'.repeat(100_000)), 5)
    await once(socket, 'close')
    clearInterval(feed)
    server.close()
    expect(text).toContain('HTTP/1.1 413')
    expect(text).toContain('Connection: close')
    expect(text).toContain('"code":"payload_too_large"')
  })
})
