import express, { type ErrorRequestHandler, type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { requestId, type RequestIdOptions } from './request-id.ts'

function createApp(options: RequestIdOptions = {}): Express {
  const app = express()
  app.use(requestId(options), (req, res) => {
    res.json({ id: req.id })
  })
  return app
}

describe('requestId', () => {
  it('ERR-06 gives each request its own id, in the header too', async () => {
    const [first, second] = [
      await request(createApp()).get('/'),
      await request(createApp()).get('/'),
    ]
    expect(first.body.id).toMatch(/^[\w-]{36}$/)
    expect(first.headers['x-request-id']).toBe(first.body.id)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('ERR-06 uses an id of the client that is short and plain', async () => {
    for (const id of ['a', 'trace-7_X', 'x'.repeat(64)]) {
      const response = await request(createApp()).get('/').set('X-Request-Id', id)
      expect(response.body.id).toBe(id)
      expect(response.headers['x-request-id']).toBe(id)
    }
  })

  it.each(['a b', 'a\tb', 'x'.repeat(65), 'x'.repeat(1000), '<script>', '../x', 'ü', ''])(
    'ERR-06 replaces %j',
    async (id) => {
      const response = await request(createApp())
        .get('/')
        .set('X-Request-Id', Buffer.from(id).toString('latin1'))
      expect(response.body.id).toMatch(/^[\w-]{36}$/)
    },
  )

  it('ignores the id of the client without trust, and uses the given generator', async () => {
    const app = createApp({ trust: false, generate: () => 'mine' })
    const response = await request(app).get('/').set('X-Request-Id', 'theirs')
    expect(response.body.id).toBe('mine')
  })

  it('refuses an id of the generator that is not a header value', async () => {
    const app = createApp({ generate: () => 'a\r\nSet-Cookie: b=c' })
    app.use(((error, _req, res, _next) => {
      res.status(500).json({ code: error.code })
    }) satisfies ErrorRequestHandler)
    const response = await request(app).get('/')
    expect(response.body).toEqual({ code: 'ERR_INVALID_CHAR' })
    expect(response.headers['set-cookie']).toBeUndefined()
  })
})
