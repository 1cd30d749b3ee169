import { type IncomingMessage } from 'node:http'
import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors/api-error.ts'
import { errorHandler } from './error-handler.ts'
import { securityHeaders, type SecurityHeadersOptions } from './security-headers.ts'

function createApp(options: SecurityHeadersOptions = {}): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', 1)
  app.use(securityHeaders(options))
  app.get('/', (_req, res) => {
    res.json({})
  })
  app.get('/cached', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=60')
    res.json({})
  })
  app.get('/:code', (req) => {
    throw new ApiError(req.params.code === 'x' ? 'internal_error' : 'rate_limited')
  })
  app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
  return app
}

const expected = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-permitted-cross-domain-policies': 'none',
  'x-dns-prefetch-control': 'off',
  'cache-control': 'no-store',
}
const hsts = 'max-age=31536000; includeSubDomains'
const ordinary = ['content-type', 'content-length', 'etag', 'date', 'connection', 'keep-alive']

describe('securityHeaders', () => {
  it('HDR-01 HTTP-09 sets exactly the headers of an API', async () => {
    const response = await request(createApp()).get('/')
    const own = Object.entries(response.headers).filter(([name]) => !ordinary.includes(name))
    expect(Object.fromEntries(own)).toEqual(expected)
  })

  it('HDR-01 sets them on errors too', async () => {
    for (const path of ['/x', '/y']) {
      const response = await request(createApp()).get(path)
      expect(response.headers).toMatchObject(expected)
    }
  })

  it('HDR-01 sends HSTS over TLS, or always when configured', async () => {
    const plain = await request(createApp()).get('/')
    expect(plain.headers).not.toHaveProperty('strict-transport-security')
    const secure = await request(createApp()).get('/').set('X-Forwarded-Proto', 'https')
    expect(secure.headers['strict-transport-security']).toBe(hsts)
    const always = await request(createApp({ hsts: 'always' })).get('/')
    expect(always.headers['strict-transport-security']).toBe(hsts)
  })

  it('HDR-02 lets a route opt in to caching', async () => {
    const response = await request(createApp()).get('/cached')
    expect(response.headers['cache-control']).toBe('public, max-age=60')
  })

  it('allows embedding for CORS, and accepts options of helmet', async () => {
    const app = createApp({
      resourcePolicy: 'cross-origin',
      helmet: {
        referrerPolicy: { policy: 'same-origin' },
        xDnsPrefetchControl: false,
        strictTransportSecurity: false,
      },
      hsts: 'always',
    })
    const response = await request(app).get('/')
    expect(response.headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'same-origin',
    })
    expect(response.headers).not.toHaveProperty('x-dns-prefetch-control')
    expect(response.headers).not.toHaveProperty('strict-transport-security')
  })

  it('calls a function in the policy on each request', async () => {
    const app = createApp({
      helmet: {
        contentSecurityPolicy: {
          useDefaults: false,
          directives: {
            'default-src': ["'none'"],
            'script-src': [(req: IncomingMessage) => `'nonce-${String(req.headers['x-nonce'])}'`],
          },
        },
      },
    })
    for (const nonce of ['a1', 'b2']) {
      const response = await request(app).get('/').set('X-Nonce', nonce)
      expect(response.headers['content-security-policy']).toContain(`'nonce-${nonce}'`)
      expect(response.headers).not.toHaveProperty('strict-transport-security')
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  it('hands on what a function in the policy throws', async () => {
    const directives = {
      'default-src': [
        (): string => {
          throw new Error('bug')
        },
      ],
    }
    const app = createApp({ helmet: { contentSecurityPolicy: { directives } } })
    await request(app).get('/').expect(500)
  })

  it('rejects what helmet rejects, when it is created', () => {
    expect(() =>
      securityHeaders({
        helmet: { contentSecurityPolicy: { directives: { 'default-src': ['a;b'] } } },
      }),
    ).toThrow('invalid directive value')
  })

  it('refuses a Cache-Control that is not a header value at startup', () => {
    expect(() => securityHeaders({ cacheControl: 'no-store\r\nSet-Cookie: a=b' })).toThrow(
      'Invalid character in header content ["Cache-Control"]',
    )
  })
})
