import express, { type Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { errorHandler } from './error-handler.ts'
import { health } from './health.ts'
import { createInFlight } from './in-flight.ts'
import { overload, type OverloadOptions } from './overload.ts'

const waiting: Response[] = []
const logger = { error: () => {}, warn: () => {} }

function createApp(options: Omit<OverloadOptions, 'inFlight'>): express.Express {
  const app = express()
  const inFlight = createInFlight()
  app.use(inFlight.stage, health(), overload({ ...options, inFlight }))
  app.get('/wait', (_req, res) => void waiting.push(res))
  app.get('/quick', (_req, res) => void res.json({}))
  app.use(errorHandler({ logger }))
  return app
}

// Keeps the event loop busy for longer than two looks at it.
async function block(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    const end = performance.now() + 200
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('overload', () => {
  it('AVL-08 rejects requests above the maximum, but never health checks', async () => {
    const server = createApp({ maxConcurrentRequests: 2 }).listen(0)
    const agent = request(server)
    const held = [agent.get('/wait'), agent.get('/wait')].map((test) =>
      test.then(({ status }) => status),
    )
    await expect.poll(() => waiting).toHaveLength(2)
    const refused = await agent.get('/quick').expect(503)
    expect(refused.body.code).toBe('overloaded')
    expect(refused.headers['retry-after']).toBe('5')
    await agent.get('/').expect(200)
    await agent.get('/health/ready').expect(200)
    for (const res of waiting.splice(0)) res.json({})
    expect(await Promise.all(held)).toEqual([200, 200])
    await agent.get('/quick').expect(200)
    server.close()
  })

  it('AVL-08 rejects requests while the event loop is late, and serves them afterwards', async () => {
    const server = createApp({ maxEventLoopDelay: 50 }).listen(0)
    const agent = request(server)
    await agent.get('/quick').expect(200)
    const blocked = block()
    const [refused, healthy] = await Promise.all([
      blocked.then(() => agent.get('/quick')),
      blocked.then(() => agent.get('/health/live')),
    ])
    expect(refused.status).toBe(503)
    expect(refused.body.code).toBe('overloaded')
    expect(healthy.status).toBe(200)
    await expect.poll(async () => (await agent.get('/quick')).status).toBe(200)
    server.close()
  })
})
