import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { type AddressInfo } from 'node:net'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from '../pipeline/error-handler.ts'
import { authentication } from '../pipeline/authentication.ts'
import { createRouter } from './create-router.ts'
import { defineRoute } from './define-route.ts'
import { success } from './success.ts'

const item = z.object({ id: z.string(), title: z.string() })

const router = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: z.strictObject({ q: z.string().max(3).optional() }),
    response: item.array(),
    meta: z.object({ total: z.number() }),
    handler: (req, res) => {
      success(res, [{ id: '1', title: req.valid.query.q ?? 'all' }], { total: 1 })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'user',
    body: z.strictObject({ title: z.string().min(2) }),
    response: item,
    status: 201,
    handler: async (req, res) => {
      success(res.status(201), { id: req.user.id, ...req.valid.body })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string().regex(/^\d+$/) }),
    response: item,
    handler: (req, res) => {
      success(res.set('ETag', '"3"'), { id: req.valid.params.id, title: 'one' })
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/:id',
    access: 'admin',
    handler: (_req, res) => {
      success(res)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id/broken',
    access: 'public',
    handler: async () => {
      throw new Error('mongodb://u:p@h')
    },
  }),
])

function serve(role?: 'user' | 'admin'): express.Express {
  const app = express()
  app.use(
    authentication((req) => {
      if (role) req.user = { id: 'u1', email: 'a@b.co', role }
    }),
  )
  app.use('/items', router)
  app.use((_req, res) => void res.status(299).send('behind'))
  app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
  return app
}

const api = request(serve())

describe('createRouter', () => {
  it('answers with the envelope, from the schemas', async () => {
    const answer = await api.get('/items?q=abc').expect(200)
    expect(answer.text).toBe('{"data":[{"id":"1","title":"abc"}],"meta":{"total":1}}')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['content-length']).toBe(String(answer.text.length))
  })

  it('HTTP-05 answers HEAD as GET, without the body', async () => {
    const get = await api.get('/items/1').expect(200)
    const head = await api.head('/items/1').expect(200)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.text).toBeUndefined()
  })

  it('HTTP-01 answers a known path with another method by 405 and Allow, OPTIONS by 204', async () => {
    for (const method of ['put', 'patch', 'trace'] as const) {
      const answer = await api[method]('/items').expect(405)
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
      expect(answer.body.code).toBe('method_not_allowed')
    }
    const options = await api.options('/items/7').expect(204)
    expect(options.headers.allow).toBe('DELETE, GET, HEAD, OPTIONS')
    expect(options.text).toBe('')
  })

  it('hands an unknown path on to what stands behind', async () => {
    await api.get('/items/1/2/3').expect(299, 'behind')
    await api.get('/other').expect(299, 'behind')
  })

  it('VAL-06 answers malformed params as not found', async () => {
    const answer = await api.get('/items/abc').expect(404)
    expect(answer.body.code).toBe('not_found')
  })

  it('HTTP-08 answers malformed percent-encoding in the path by 400', async () => {
    const answer = await api.get('/items/%E0%A4%A').expect(400)
    expect(answer.body.code).toBe('invalid_encoding')
  })

  it.each([
    ['?nope=1', '#/nope', 'unrecognized_key'],
    ['?q=1&q=2', '#/q', 'repeated'],
    ['?q=long', '#/q', 'too_big'],
    ['?__proto__=1', '#/__proto__', 'unrecognized_key'],
    ['?q[$ne]=1', '#/q%5B%24ne%5D', 'unrecognized_key'],
  ])('VAL-01 VAL-09 refuses the query %s by 400', async (query, pointer, code) => {
    const answer = await api.get(`/items${query}`).expect(400)
    expect(answer.body).toMatchObject({
      code: 'invalid_query',
      errors: [{ in: 'query', pointer, code }],
    })
  })

  it('refuses every parameter on a route without a query schema', async () => {
    const answer = await api.get('/items/1?a=1').expect(400)
    expect(answer.body.errors).toMatchObject([{ pointer: '#/a' }])
  })

  it('asks for credentials before it reads the body, for rights before anything else', async () => {
    await api.post('/items').set('content-type', 'text/plain').send('x').expect(401)
    await api.delete('/items/1').expect(401)
    await request(serve('user')).delete('/items/1').expect(403)
    await request(serve('admin')).delete('/items/1').expect(204, '')
  })

  it('parses the body, and says what is wrong with it by 422', async () => {
    const user = request(serve('user'))
    const created = await user.post('/items').send({ title: 'Hello' }).expect(201)
    expect(created.body).toEqual({ data: { id: 'u1', title: 'Hello' } })
    const refused = await user.post('/items').send({ title: 'x', role: 'admin' }).expect(422)
    expect(refused.body).toMatchObject({
      code: 'validation_failed',
      detail: '2 fields are not valid.',
      errors: [
        { in: 'body', pointer: '#/title', code: 'too_small' },
        { in: 'body', pointer: '#/role', code: 'unrecognized_key' },
      ],
    })
    await user.post('/items').expect(422)
    await user.post('/items').type('text/plain').send('x').expect(415)
  })

  it('answers 406 when the client does not take JSON', async () => {
    for (const accept of [
      'text/html',
      'application/json;q=0',
      'application/json;q=0, */*',
      'application/*;q=0.000, */*',
      'application/json;q=x',
      '*/*;q=0',
      'application/json-seq',
    ]) {
      await api.get('/items').set('Accept', accept).expect(406)
    }
    for (const accept of [
      '*/*',
      'application/*',
      'application/json;q=0.5',
      'Application/JSON;charset=UTF-8',
      'application/json;version=2;q=0, application/json',
      'text/*;q=0, application/json ; q=0.001',
      '',
      'text/html, */*;q=0.1',
    ]) {
      await api.get('/items').set('Accept', accept).expect(200)
    }
  })

  it.each([
    ['http://other.example/items/1', 200],
    ['http://other.example/items?q=one', 200],
    ['http://other.example/items?x=1', 400],
    ['http://other.example/nope', 299],
    ['other://example', 404],
    ['*', 299],
  ])('reads the path of the whole URI %s', async (path, status) => {
    const server = serve().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const [answer] = (await once(http.get({ port, path }), 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(status)
    await once(server.close(), 'close')
  })

  it('answers 304 when the client has the representation already', async () => {
    const answer = await api.get('/items/1').set('If-None-Match', '"2", W/"3"').expect(304)
    expect(answer.text).toBe('')
    await api.get('/items/1').set('If-None-Match', '*').expect(304)
    await api.get('/items/1').set('If-None-Match', '"2"').expect(200)
  })

  it('ERR-02 says nothing about an error of its own', async () => {
    const answer = await api.get('/items/1/broken').expect(500)
    expect(answer.text).not.toContain('mongodb')
    expect(answer.body.code).toBe('internal_error')
  })

  it('says which stage is missing when a guarded route has none to load the caller', async () => {
    const app = express().use(router)
    const messages: unknown[] = []
    app.use(
      errorHandler({ logger: { error: (fields) => messages.push(fields.err), warn: () => {} } }),
    )
    await request(app).delete('/1').expect(500)
    expect(String(messages[0])).toContain("access 'admin' needs the authentication stage before it")
  })

  it.each([
    [{ access: undefined }, 'The route GET / states no access.'],
    [{ handler: undefined }, 'The route GET / has no handler.'],
    [{ path: 'x' }, 'The path of GET x is not understood.'],
    [{ path: '/a/*rest' }, 'The path of GET /a/*rest is not understood.'],
    [{ path: '/a/' }, 'The path of GET /a/ is not understood.'],
  ])('AUZ-01 refuses an incomplete route at once: %j', (change, message) => {
    const route = { method: 'get', path: '/', access: 'public', handler: () => {}, ...change }
    expect(() => createRouter([route as never])).toThrow(message)
  })
})
