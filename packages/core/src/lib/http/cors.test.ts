import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { cors, type CorsOptions } from './cors.ts'
import { errorHandler } from './error-handler.ts'

const site = 'https://app.example.com'

function createApp(options: CorsOptions): Express {
  const app = express()
  app.use(cors(options))
  app.use('/fail', () => {
    throw Object.assign(new Error('no'), { status: 404 })
  })
  app.use((req, res) => {
    res.json({ method: req.method })
  })
  app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
  return app
}

const kinds: [string, CorsOptions['origins']][] = [
  ['a list', [site, 'http://localhost:5173']],
  ['a pattern', [/^https:\/\/app\.example\.com$/]],
  ['a function', (origin) => origin === site],
]

describe('cors', () => {
  it('HDR-03 is off without origins', async () => {
    for (const app of [createApp({}), createApp({ origins: [] })]) {
      const response = await request(app).get('/').set('Origin', site).expect(200)
      expect(
        Object.keys(response.headers).filter((name) => /^access-control|vary/.test(name)),
      ).toEqual([])
      // A preflight then is an ordinary OPTIONS.
      await request(app).options('/').set('Origin', site).expect(200)
    }
  })

  it.each(kinds)('HDR-03 echoes exactly the allowed origin (%s)', async (_name, origins) => {
    const response = await request(createApp({ origins })).get('/').set('Origin', site).expect(200)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': site,
      'access-control-expose-headers':
        'Location,ETag,Retry-After,RateLimit,RateLimit-Policy,X-Request-Id',
      vary: 'Origin',
    })
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it.each(kinds)(
    'HDR-03 allows no other origin, and still sets Vary (%s)',
    async (_name, origins) => {
      const app = createApp({ origins })
      const others = [
        'https://app.example.com.evil.io',
        'https://evil-app.example.com',
        'http://app.example.com',
        'https://app.example.com:8443',
        'https://APP.example.com',
        'null',
        '',
      ]
      for (const origin of others) {
        const response = await request(app).get('/').set('Origin', origin)
        expect(response.headers).not.toHaveProperty('access-control-allow-origin')
        expect(response.headers['vary']).toBe('Origin')
      }
      const without = await request(app).get('/')
      expect(without.headers['vary']).toBe('Origin')
    },
  )

  it.each(kinds)('responds to a preflight (%s)', async (_name, origins) => {
    const app = createApp({ origins, maxAge: 60 })
    const preflight = (origin: string): request.Test =>
      request(app).options('/').set('Origin', origin).set('Access-Control-Request-Method', 'PUT')
    const response = await preflight(site).expect(204)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': site,
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers':
        'Authorization,Content-Type,If-Match,If-None-Match,Idempotency-Key,Last-Event-ID,X-Request-Id,X-Requested-With',
      'access-control-max-age': '60',
      vary: 'Origin',
    })
    const denied = await preflight('https://evil.example').expect(204)
    expect(denied.headers).not.toHaveProperty('access-control-allow-origin')
    expect(denied.headers['vary']).toBe('Origin')
  })

  it.each(kinds)('leaves an OPTIONS alone that is not a preflight (%s)', async (_name, origins) => {
    await request(createApp({ origins }))
      .options('/')
      .set('Origin', site)
      .expect(200, { method: 'OPTIONS' })
  })

  it('HDR-01 lets a script read errors too', async () => {
    const response = await request(createApp({ origins: [site] }))
      .get('/fail')
      .set('Origin', site)
      .expect(404)
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': site, vary: 'Origin' })
  })

  it('accepts * without credentials', async () => {
    const response = await request(createApp({ origins: '*' }))
      .get('/')
      .set('Origin', 'https://any.where')
    expect(response.headers['access-control-allow-origin']).toBe('*')
  })

  it('allows credentials to the listed origins only', async () => {
    const app = createApp({ origins: [site], credentials: true })
    const response = await request(app).get('/').set('Origin', site)
    expect(response.headers['access-control-allow-credentials']).toBe('true')
    expect(response.headers['access-control-allow-origin']).toBe(site)
  })

  it('hands on what a function throws', async () => {
    const app = createApp({
      origins: () => {
        throw new Error('bug')
      },
    })
    await request(app).get('/').set('Origin', site).expect(500)
  })

  it('accepts one more label for a wildcard, and nothing that looks like it', async () => {
    const app = createApp({ origins: ['https://*.example.com', 'http://*.local.test:8080'] })
    const isAllowed = async (origin: string): Promise<boolean> => {
      const { headers } = await request(app).get('/').set('Origin', origin)
      expect(headers['vary']).toBe('Origin')
      return headers['access-control-allow-origin'] === origin
    }
    for (const origin of [
      'https://app.example.com',
      'https://a.example.com',
      'https://a-b-1.example.com',
      'http://x.local.test:8080',
    ]) {
      expect([origin, await isAllowed(origin)]).toEqual([origin, true])
    }
    for (const origin of [
      'https://example.com',
      'https://.example.com',
      'https://a.b.example.com',
      'https://app.example.com.evil.io',
      'https://evil.io/.example.com',
      'https://appXexample.com',
      'https://evilexample.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://-.example.com',
      'https://APP.example.com',
      'https://a_b.example.com',
      'https://*.example.com',
      'https://x@a.example.com',
      'http://x.local.test',
      'null',
    ]) {
      expect([origin, await isAllowed(origin)]).toEqual([origin, false])
    }
  })

  it.each(['capacitor://localhost', 'ionic://localhost', 'tauri://localhost', 'app://my.app:1'])(
    'accepts %s, the origin of an application',
    async (origin) => {
      const app = createApp({ origins: [origin] })
      const { headers } = await request(app).get('/').set('Origin', origin)
      expect(headers['access-control-allow-origin']).toBe(origin)
      const other = await request(app).get('/').set('Origin', `${origin}x`)
      expect(other.headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  it.each([
    [['*'], "For every origin write origins: '*', without a list."],
    [['https://app-*.example.com'], "'https://*.example.com'. Write a pattern: /^https:"],
  ])('rejects %j with the fix', (origins, message) => {
    expect(() => cors({ origins })).toThrow(message)
  })

  it.each([
    { origins: true },
    { origins: true, credentials: true },
    { origins: '*', credentials: true },
    { origins: 'https://a.com, https://b.com' },
    { origins: ['*'] },
    { origins: ['https://*'] },
    { origins: ['https://*.com'] },
    { origins: ['https://*.*.example.com'] },
    { origins: ['https://a*.example.com'] },
    { origins: ['https://app.*.com'] },
    { origins: ['https://*.example.com/'] },
    { origins: ['https://*.example.com:*'] },
    { origins: ['*://app.example.com'] },
    { origins: ['capacitor://localhost/'] },
    { origins: ['file://localhost'] },
    { origins: ['javascript://localhost'] },
    { origins: ['Capacitor://localhost'] },
    { origins: ['null'] },
    { origins: ['a.com'] },
    { origins: ['https://a.com/'] },
    { origins: ['https://a.com/path'] },
    { origins: ['https://a.com, https://b.com'] },
    { origins: ['https://a.com:443'] },
    { origins: [/a\.com/] },
    { origins: [/^https:\/\/a\.com/] },
    { origins: [/https:\/\/a\.com$/] },
    { origins: [/^https:\/\/a\.com$/m] },
    { origins: [/^https:\/\/a\.com\$/] },
  ])('HDR-04 rejects %j', (options) => {
    expect(() => Reflect.apply(cors, undefined, [options])).toThrow(TypeError)
  })
})
