import { once } from 'node:events'
import http, { type RequestListener, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { type Api, type ApiConfig, createApi, createRegistry, createServer } from '@create-api/core'
import express, { type Express, type RequestHandler, Router } from 'express'
import { afterEach, describe, expect, it } from 'vitest'

// From Node 24 on, a change of prototypes costs nothing, and nothing is done about it.
const isSlow = Number.parseInt(process.versions.v8, 10) < 13

let lines: string[] = []
const servers: Server[] = []

afterEach(() => {
  lines = []
  for (const server of servers.splice(0)) server.close()
})

function create(config: Partial<ApiConfig> = {}): Api {
  return createApi({
    routes: createRegistry(),
    environment: 'test',
    auth: false,
    database: false,
    accessLog: { format: false },
    log: { stream: { write: (text) => void lines.push(text) } },
    ...config,
  })
}

async function serve(listener: RequestListener | Server): Promise<string> {
  const server = listener instanceof http.Server ? listener : http.createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// The constructor that a server uses for its requests.
function constructorOf(server: Server): unknown {
  const symbol = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'IncomingMessage',
  )
  return symbol && Reflect.get(server, symbol)
}

describe('the server of a surrounding app', () => {
  it.runIf(isSlow)(
    'creates requests with the prototypes of that app from the second on',
    async () => {
      const host = express().use('/v2', create().app)
      const server = http.createServer(host)
      const url = await serve(server)
      expect(constructorOf(server)).toBe(http.IncomingMessage)
      await fetch(`${url}/v2/health/live`)
      expect(Object(constructorOf(server)).prototype).toBe(host.request)
      const response = await fetch(`${url}/v2/health/live`)
      expect(await response.json()).toEqual({ status: 'pass' })
    },
  )

  it.runIf(isSlow)(
    'is left alone where it does more than call the app, and with fast: false',
    async () => {
      const one = http.createServer(express().use(create().app)).on('request', () => {})
      const other = http.createServer(express().use(create({ server: { fast: false } }).app))
      const host = express().use(create().app)
      const third = http.createServer((req, res) => host(req, res))
      for (const server of [one, other, third]) {
        const url = await serve(server)
        await fetch(`${url}/health/live`)
        expect(constructorOf(server)).toBe(http.IncomingMessage)
      }
    },
  )

  it.runIf(!isSlow)('is left alone where prototypes cost nothing', async () => {
    const server = http.createServer(express().use(create().app))
    await fetch(`${await serve(server)}/health/live`)
    expect(constructorOf(server)).toBe(http.IncomingMessage)
  })
})

const mounts: Readonly<Record<string, (host: Express, api: Api) => void>> = {
  'with app.use': (host, api) => void host.use(api.app),
  'in a router': (host, api) => void host.use(Router().use(api.app)),
  'in a function': (host, api) => void host.use((req, res, next) => void api.app(req, res, next)),
  'below another app': (host, api) => void host.use(express().use(api.app)),
  'after another one': (host, api) => void host.use(create({ health: false }).app).use(api.app),
  'with another app in it': (host, api) => {
    api.app.use('/inner', (_req, res) => void res.json({ inner: true }))
    host.use(api.app)
  },
}

describe.each(Object.entries(mounts))('requests of an API mounted %s', (way, mount) => {
  // Express restores the host of apps that it knows to be mounted.
  const isRestored = isSlow || !['in a router', 'in a function'].includes(way)

  it('belong to the API inside, and to their host before and after', async () => {
    const inside: unknown[] = []
    const note: RequestHandler = (req, res, next) => {
      inside.push(req.app, res.app)
      next()
    }
    const api = create({ stages: { before: { requestId: note } } })
    const outside: unknown[] = []
    const host = express().use((req, res, next) => {
      outside.push(req.app, res.app)
      next()
    })
    mount(host, api)
    host.use((req, res) => {
      if (isRestored) outside.push(req.app, res.app)
      res.status(404).json({ by: 'host' })
    })
    for (const url of [await serve(host), await serve(createServer(host))]) {
      for (let round = 0; round < 3; round++) {
        expect((await fetch(`${url}/health/live`)).status).toBe(200)
        const response = await fetch(`${url}/nothing`)
        expect(await response.json()).toEqual({ by: 'host' })
        expect(response.headers.get('X-Content-Type-Options')).toBeNull()
      }
    }
    expect(new Set(outside)).toEqual(new Set([host]))
    expect(inside).toHaveLength(24)
    expect(new Set(inside)).toEqual(new Set([api.app]))
  })
})

describe('an API mounted in a slow server', () => {
  const through =
    (host: Express): RequestListener =>
    (req, res) =>
      host(req, res)

  it.runIf(isSlow)('suggests createServer once, in development', async () => {
    const host = express().use(create({ environment: 'development' }).app)
    const url = await serve(through(host))
    for (let round = 0; round < 3; round++) await fetch(`${url}/health/live`)
    const warnings = lines.filter((line) => line.includes('createServer(existingApp)'))
    expect(warnings).toHaveLength(1)
  })

  it('suggests nothing elsewhere, and nothing that would not help', async () => {
    const quiet = [
      await serve(through(express().use(create({ environment: 'test' }).app))),
      await serve(express().use(create({ environment: 'development' }).app)),
      await serve(createServer(express().use(create({ environment: 'development' }).app))),
    ]
    for (const url of quiet) await fetch(`${url}/health/live`)
    expect(lines.join('')).not.toContain('createServer')
  })

  it('keeps what the application has added to its prototypes', async () => {
    const api = create({
      stages: {
        after: {
          requestId: (req, res) => void res.json({ added: Reflect.get(req, 'added') }),
        },
      },
    })
    Reflect.set(api.app.request, 'added', 'yes')
    const url = await serve(express().use(api.app))
    for (let round = 0; round < 3; round++) {
      expect(await (await fetch(`${url}/x`)).json()).toEqual({ added: 'yes' })
    }
  })
})
