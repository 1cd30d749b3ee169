import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { errorHandler } from './error-handler.ts'
import { health, type HealthOptions, type HealthStatus } from './health.ts'

function createApp(options: HealthOptions = {}): Express {
  const app = express()
  app.use(health(options))
  app.use((_req, res) => {
    res.status(404).json({ behind: true })
  })
  app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
  return app
}

function createDatabase(): { status: HealthStatus; asked: number; options: HealthOptions } {
  const database = {
    status: 'pass' as HealthStatus,
    asked: 0,
    options: {
      cacheMs: 0,
      checks: {
        'mongodb:connection': {
          componentType: 'datastore',
          check: async () => {
            database.asked++
            return database.status
          },
        },
      },
    },
  }
  return database
}

const paths = ['/', '/health/live', '/health/ready']

describe('health', () => {
  it('responds without checks', async () => {
    const app = createApp()
    for (const path of paths) {
      const response = await request(app).get(path).expect(200)
      expect(response.headers['content-type']).toBe('application/health+json')
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.body.status).toBe('pass')
    }
  })

  it('AVL-07 is alive with the database down, and not ready', async () => {
    const database = createDatabase()
    const app = createApp(database.options)
    const ready = await request(app).get('/health/ready').expect(200)
    expect(ready.body).toEqual({
      status: 'pass',
      checks: {
        'mongodb:connection': [
          {
            status: 'pass',
            componentType: 'datastore',
            time: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      },
    })
    database.status = 'fail'
    await request(app).get('/health/live').expect(200, '{"status":"pass"}')
    const failing = await request(app).get('/health/ready').expect(503)
    expect(failing.body.checks['mongodb:connection'][0].status).toBe('fail')
    expect(failing.headers['retry-after']).toBe('5')
    await request(app).get('/').expect(503, '{"status":"fail"}')
    database.status = 'warn'
    await request(app).get('/').expect(200, '{"status":"warn"}')
  })

  it('AVL-07 is not ready while draining', async () => {
    let draining = false
    const app = createApp({ isDraining: () => draining })
    await request(app).get('/health/ready').expect(200)
    draining = true
    await request(app).get('/health/ready').expect(503)
    await request(app).get('/').expect(503, '{"status":"fail"}')
    await request(app).get('/health/live').expect(200)
  })

  it('AVL-01 does not wait for a check that hangs, nor reveal why one failed', async () => {
    const app = createApp({
      timeoutMs: 50,
      checks: {
        hangs: { check: () => new Promise<HealthStatus>(() => {}) },
        throws: {
          check: () => {
            throw new Error('mongodb://u:p@h')
          },
        },
        works: { check: () => 'pass' },
      },
    })
    const response = await request(app).get('/health/ready').expect(503)
    expect(response.text).not.toContain('mongodb')
    const states = Object.values(response.body.checks as Record<string, { status: string }[]>)
    expect(states.map(([check]) => check?.status)).toEqual(['fail', 'fail', 'pass'])
  })

  it('runs the checks once for concurrent requests, and again later', async () => {
    const database = createDatabase()
    const app = createApp({ ...database.options, cacheMs: 20 })
    const server = app.listen(0)
    await Promise.all(
      Array.from({ length: 20 }, () => request(server).get('/health/ready').expect(200)),
    )
    expect(database.asked).toBeLessThan(10)
    const before = database.asked
    await expect
      .poll(async () => {
        await request(server).get('/')
        return database.asked
      })
      .toBeGreaterThan(before)
    server.close()
  })

  it('HTTP-01 supports GET, HEAD and OPTIONS, and no other method', async () => {
    const app = createApp()
    for (const path of paths) {
      const head = await request(app).head(path).expect(200)
      const get = await request(app).get(path)
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
      const options = await request(app).options(path).expect(204)
      expect(options.headers['allow']).toBe('GET, HEAD, OPTIONS')
      for (const method of ['post', 'put', 'patch', 'delete', 'trace'] as const) {
        const refused = await request(app)[method](path).expect(405)
        expect(refused.headers['allow']).toBe('GET, HEAD, OPTIONS')
        expect(refused.body.code).toBe('method_not_allowed')
      }
    }
  })

  it('leaves every other path alone', async () => {
    for (const path of ['/health', '/health/', '/health/x', '/x']) {
      await request(createApp()).get(path).expect(404, { behind: true })
    }
  })
})
