import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { type AddressInfo } from 'node:net'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from '../http/error-handler.ts'
import { authentication } from '../http/authentication.ts'
import { type Role } from '../access/caller.ts'
import { createRouter } from './create-router.ts'
import { defineRoute } from '../route/define-route.ts'
import { success } from '../response/success.ts'
import { all, any, defineRule, permission } from '../access/access.ts'
import { put } from '../route/route-methods.ts'

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
      const { id } = req.valid.params
      success(res.set('ETag', id === '2' ? 'W/"3"' : '"3"'), { id, title: 'one' })
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

function serve(roles?: readonly Role[]): express.Express {
  const app = express()
  app.use(
    authentication((req) => {
      if (roles) req.user = { id: 'u1', email: 'a@b.co', roles }
    }),
  )
  app.use('/items', router)
  app.use((_req, res) => void res.status(299).send('behind'))
  app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
  return app
}

const api = request(serve())

describe('createRouter', () => {
  it('sends the envelope with data and meta of the schemas', async () => {
    const response = await api.get('/items?q=abc').expect(200)
    expect(response.text).toBe('{"data":[{"id":"1","title":"abc"}],"meta":{"total":1}}')
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.headers['content-length']).toBe(String(response.text.length))
  })

  it('HTTP-05 handles HEAD like GET, without the body', async () => {
    const get = await api.get('/items/1').expect(200)
    const head = await api.head('/items/1').expect(200)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.text).toBeUndefined()
  })

  it('HTTP-01 returns 405 with Allow for another method, and 204 for OPTIONS', async () => {
    for (const method of ['put', 'patch', 'trace'] as const) {
      const response = await api[method]('/items').expect(405)
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
      expect(response.body.code).toBe('method_not_allowed')
    }
    const options = await api.options('/items/7').expect(204)
    expect(options.headers.allow).toBe('DELETE, GET, HEAD, OPTIONS')
    expect(options.text).toBe('')
  })

  it('passes an unknown path to the next handler', async () => {
    await api.get('/items/1/2/3').expect(299, 'behind')
    await api.get('/other').expect(299, 'behind')
  })

  it('VAL-06 returns 404 for malformed params', async () => {
    const response = await api.get('/items/abc').expect(404)
    expect(response.body.code).toBe('not_found')
  })

  it('HTTP-08 returns 400 for malformed percent-encoding in the path', async () => {
    const response = await api.get('/items/%E0%A4%A').expect(400)
    expect(response.body.code).toBe('invalid_encoding')
  })

  it.each([
    ['?nope=1', '#/nope', 'unrecognized_key'],
    ['?q=1&q=2', '#/q', 'repeated'],
    ['?q=long', '#/q', 'too_big'],
    ['?__proto__=1', '#/__proto__', 'unrecognized_key'],
    ['?q[$ne]=1', '#/q%5B%24ne%5D', 'unrecognized_key'],
  ])('VAL-01 VAL-09 rejects the query %s with 400', async (query, pointer, code) => {
    const response = await api.get(`/items${query}`).expect(400)
    expect(response.body).toMatchObject({
      code: 'invalid_query',
      errors: [{ in: 'query', pointer, code }],
    })
  })

  it('rejects every parameter on a route without a query schema', async () => {
    const response = await api.get('/items/1?a=1').expect(400)
    expect(response.body.errors).toMatchObject([{ pointer: '#/a' }])
  })

  it('checks credentials and rights before it reads the body', async () => {
    await api.post('/items').set('content-type', 'text/plain').send('x').expect(401)
    await api.delete('/items/1').expect(401)
    await request(serve([])).delete('/items/1').expect(403)
    await request(serve(['admin']))
      .delete('/items/1')
      .expect(204, '')
  })

  it('parses the body, and describes its faults with 422', async () => {
    const user = request(serve([]))
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

  it('returns 406 when the client does not accept JSON', async () => {
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
      'application/json;odata=verbose',
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
  ])('reads the path of the absolute URI %s', async (path, status) => {
    const server = serve().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const [response] = (await once(http.get({ port, path }), 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(status)
    await once(server.close(), 'close')
  })

  it('returns 304 when the client already has the representation', async () => {
    const response = await api.get('/items/1').set('If-None-Match', '"2", W/"3"').expect(304)
    expect(response.text).toBe('')
    await api.get('/items/1').set('If-None-Match', '*').expect(304)
    await api.get('/items/1').set('If-None-Match', '"2"').expect(200)
    await api.get('/items/2').set('If-None-Match', 'W/"3"').expect(304)
    // As `fetch` sends it, of browsers and of Node.
    const conditional = api.get('/items/1').set('If-None-Match', '"3"')
    await conditional.set('Cache-Control', 'no-cache').expect(304)
  })

  it('ERR-02 reveals nothing about an internal error', async () => {
    const response = await api.get('/items/1/broken').expect(500)
    expect(response.text).not.toContain('mongodb')
    expect(response.body.code).toBe('internal_error')
  })

  it('names the missing stage when nothing loads the caller of a guarded route', async () => {
    const app = express().use(router)
    const messages: unknown[] = []
    app.use(
      errorHandler({ logger: { error: (fields) => messages.push(fields.err), warn: () => {} } }),
    )
    await request(app).delete('/1').expect(500)
    expect(String(messages[0])).toContain("access 'admin' needs the authentication stage before it")
  })

  it.each([
    [{ access: undefined }, 'The route GET / has no access.'],
    [{ handler: undefined }, 'The route GET / has no handler.'],
    [{ path: 'x' }, 'The path of GET x is not valid.'],
    [{ path: '/a/*rest' }, 'The path of GET /a/*rest is not valid.'],
    [{ path: '/a/' }, 'The path of GET /a/ is not valid.'],
  ])('AUZ-01 rejects an incomplete route immediately: %j', (change, message) => {
    const route = { method: 'get', path: '/', access: 'public', handler: () => {}, ...change }
    expect(() => createRouter([route as never])).toThrow(message)
  })

  it.each([
    ['owner', true],
    [any('admin', all('user', 'owner')), true],
    [{ ...defineRule('member', () => true), form: { kind: 'member', roles: [] } }, true],
    ['user', false],
    [any('admin', permission('notes:write')), false],
    // Only its decisions tell whether it is a filter.
    [defineRule('paying', ({ email }) => email !== ''), false],
  ] as const)('refuses an async load where the access is a filter: %j', (access, isRefused) => {
    const load = async () => ({ title: 'one' })
    const create = () => createRouter([put('/lock', { access, load }, () => {})])
    if (isRefused) {
      expect(create).toThrow(
        'The access of PUT /lock is a filter, so load must return a Mongoose query, without async, await and exec(): load: ({ id }) => PostModel.findById(id).lean().',
      )
    } else {
      expect(create().routes).toHaveLength(1)
    }
  })
})
