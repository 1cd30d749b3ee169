import { once } from 'node:events'
import http from 'node:http'
import express from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { createServer } from './create-server.ts'

const servers: http.Server[] = []

function serve(app: express.Express): http.Server {
  const server = createServer(app).listen(0)
  servers.push(server)
  return server
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close()
    await once(server, 'close')
  }
})

describe('createServer', () => {
  it('gives requests and responses the prototypes of the app from the start', async () => {
    const app = express()
    const server = serve(app)
    const born: unknown[] = []
    server.prependListener('request', (req, res) => {
      born.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res))
    })
    app.get('/', (req, res) => {
      res.json({ ip: req.ip, isRequest: req instanceof http.IncomingMessage })
    })
    const response = await request(server).get('/').expect(200)
    expect(response.body.isRequest).toBe(true)
    expect(born).toEqual([app.request, app.response])
  })

  it('serves Express as Express does: json, redirect, cookies, sub-apps, errors', async () => {
    const app = express()
    const sub = express()
    sub.get('/', (req, res) => void res.send(`${req.baseUrl} ${req.originalUrl}`))
    app.use('/sub', sub)
    app.get('/go', (_req, res) => res.cookie('a', 'b').redirect('/there'))
    app.get('/locals', (_req, res) => void res.json(res.locals))
    app.get('/fail', () => {
      throw Object.assign(new Error('no'), { status: 418 })
    })
    app.post('/echo', express.json(), (req, res) => void res.json(req.body))
    const agent = request(serve(app))
    await agent.get('/sub').expect(200, '/sub /sub')
    await agent.get('/locals').expect(200, {})
    await agent.get('/fail').expect(418)
    await agent.post('/echo').send({ a: 1 }).expect(200, { a: 1 })
    const redirect = await agent.get('/go').expect(302)
    expect(redirect.headers).toMatchObject({ location: '/there', 'set-cookie': ['a=b; Path=/'] })
  })

  it('bounds header, request and idle times, and the header size', () => {
    const server = serve(express())
    expect(server.headersTimeout).toBe(10_000)
    expect(server.requestTimeout).toBe(30_000)
    expect(server.keepAliveTimeout).toBe(65_000)
    expect(createServer(express(), { keepAliveTimeout: 1 }).keepAliveTimeout).toBe(1)
  })
})
