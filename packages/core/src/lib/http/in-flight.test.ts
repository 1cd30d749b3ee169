import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createInFlight, type InFlight, type InFlightOptions } from './in-flight.ts'
import { createErrorSender } from './error-handler.ts'

const logged: string[] = []
const logger = {
  error: (_fields: object, message: string) => void logged.push(message),
  warn: () => {},
}

function serve(handler: RequestHandler, options: InFlightOptions = {}) {
  const sendError = createErrorSender({ logger })
  const inFlight = createInFlight({ sendError, ...options })
  const app = express()
  app.use(inFlight.stage, handler)
  app.use(((error, req, res, _next) => sendError(error, req, res)) as express.ErrorRequestHandler)
  return { inFlight, server: app.listen(0) }
}

async function until(inFlight: InFlight, count: number): Promise<void> {
  await expect.poll(() => inFlight.count).toBe(count)
}

afterEach(() => {
  vi.useRealTimers()
  logged.length = 0
})

describe('createInFlight', () => {
  it('counts requests until their response is sent or their client disconnects', async () => {
    const waiting: express.Response[] = []
    const { inFlight, server } = serve((_req, res) => void waiting.push(res))
    const { port } = server.address() as AddressInfo
    const finished = request(server)
      .get('/')
      .then(({ status }) => status)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(inFlight, 2)
    socket.destroy()
    await until(inFlight, 1)
    for (const res of waiting) res.end()
    expect(await finished).toBe(200)
    await until(inFlight, 0)
    server.close()
  })

  it('closes the connections of those that came before it was asked to', async () => {
    const waiting: express.Response[] = []
    const { inFlight, server } = serve((_req, res) => void waiting.push(res))
    const response = request(server)
      .get('/')
      .set('Connection', 'keep-alive')
      .then(({ headers }) => headers['connection'])
    await until(inFlight, 1)
    inFlight.closeAfterResponses()
    for (const res of waiting) res.end()
    expect(await response).toBe('close')
    server.close()
  })

  it('returns 503 for a handler that is late, unless its response has started', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const waiting: Record<string, [express.Response, express.NextFunction]> = {}
    const { inFlight, server } = serve(
      (req, res, next) => {
        if (req.path === '/stream') res.write('begun ')
        waiting[req.path] = [res, next]
      },
      { handlerTimeout: 5000 },
    )
    const late = request(server)
      .get('/late')
      .then((settled) => settled)
    await until(inFlight, 1)
    const stream = request(server)
      .get('/stream')
      .then((settled) => settled)
    await until(inFlight, 2)
    vi.advanceTimersByTime(5000)
    expect(inFlight.count).toBe(2)
    vi.advanceTimersByTime(1000)
    const response = await late
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBe('5')
    expect(response.body.code).toBe('service_unavailable')
    expect(response.text).not.toContain('HANDLER_TIMEOUT')
    waiting['/stream']?.[0].end('ended')
    expect((await stream).text).toBe('begun ended')
    // The handler goes on and fails: one line says so, and nothing else happens.
    waiting['/late']?.[1](new Error('too late'))
    expect(logged).toEqual(['request failed', 'request failed after its response'])
    server.close()
    await once(server, 'close')
  })
})
