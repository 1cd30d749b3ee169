// @ts-expect-error -- its types would bring another copy of those of Express
import compression from 'compression'
import { createApi, createRegistry, createRouter, get, success } from '@create-api/core'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApp,
  defer,
  handlers,
  respond,
} from '../../../packages/core/test/express/deferred-headers.ts'
import {
  exchangeMounted,
  exchangeOnRoutes,
  handled,
  requests,
} from '../../../packages/core/test/pipeline/same-bytes.ts'

// Middleware that patches responses, as many applications have it.
const compress = compression({ threshold: 0 })

describe('deferred headers', () => {
  it.each(Object.entries(handlers))(
    'are on a response by %s behind compression',
    async (_name, handler) => {
      const { deferred, plain } = await respond(handler, compress)
      expect(plain).toMatchObject([{ first: 'one', second: 'two' }])
      expect(deferred).toEqual([...plain, ...plain, ...plain])
    },
  )

  it('let compression compress', async () => {
    const app = createApp(handlers['res.json'] ?? defer, compression())
    const { headers } = await request(app).get('/')
    expect(headers).toMatchObject({
      'x-first': 'one',
      'x-second': 'two',
      'cache-control': 'no-store',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    })
  })
})

describe.each([
  ['with', true],
  ['without', false],
])('the composed pipeline %s fast paths and its stages one by one', (_way, fast) => {
  const before = [compress]

  it.each(Object.entries(requests))(
    'give the same bytes to %s, with compression on the routes',
    async (_name, message) => {
      const { composed, single } = await exchangeOnRoutes({ message, fast, before })
      expect(composed).toMatch(/^HTTP\/1\.1 \d{3} /)
      expect(composed).toBe(single)
    },
  )

  it.each(handled)(
    'give the same bytes to %s, mounted after compression',
    async (_name, message) => {
      const { composed, single } = await exchangeMounted({ message, fast, before })
      expect(composed).toBe(single)
    },
  )
})

describe('createApi', () => {
  it('works behind and in front of other middleware', async () => {
    const hello = get(
      '/:name',
      { access: 'public', params: z.object({ name: z.string() }), response: z.string() },
      (req, res) => success(res, `Hello, ${req.valid.params.name}!`),
    )
    const { app } = createApi({
      routes: createRegistry().use('/api/hello', createRouter([hello])),
      auth: false,
      database: false,
      log: { level: 'silent' },
    })
    const host = express().use(compress, app)
    const response = await request(host).get('/api/hello/you').expect(200)
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(response.body).toEqual({ data: 'Hello, you!' })
    expect(response.headers['x-content-type-options']).toBe('nosniff')
  })
})
