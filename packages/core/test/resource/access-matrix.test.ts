import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ApiError,
  createApi,
  createRegistry,
  createRouter,
  defineErrors,
  defineRoute,
  success,
} from '../../src/index.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'

const routes = createRouter(
  (['public', 'user', 'owner', 'admin'] as const).map((access) =>
    defineRoute({
      method: 'get',
      path: `/${access}`,
      access,
      response: z.object({}),
      handler: (req, res) => success(res, { scope: req.scope }),
    }),
  ),
)

const api = createApi({
  name: 'access',
  routes: createRegistry().use('/api/things', routes),
  rateLimit: false,
})

let client: TestClient
const closers: (() => unknown)[] = []

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

describe('findAccessFaults', () => {
  it('AUZ-07 finds nothing if every route behaves as declared, including those of accounts', async () => {
    expect(api.routes.length).toBeGreaterThan(8)
    expect(await findAccessFaults(api, client)).toEqual([])
  })

  it('AUZ-07 finds guarded routes open to anyone, and public ones that deny access', async () => {
    for (const [status, broken] of [
      [200, ['user', 'owner', 'admin']],
      [403, ['public', 'user', 'owner', 'admin']],
    ] as const) {
      const server = createServer((_req, res) => res.writeHead(status).end()).listen(0)
      closers.push(() => server.close())
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const signUp: TestClient['signUp'] = (options) => client.signUp(options)
      const things = api.routes.filter(({ path }) => path.startsWith('/api/things'))
      const target = { signUp, url: `http://localhost:${port}` }
      const faults = await findAccessFaults({ app: api.app, routes: things }, target)
      expect(new Set(faults.map(({ route }) => route.split('/').at(-1)))).toEqual(new Set(broken))
    }
  })

  it('AUZ-07 finds routes mounted outside the framework', async () => {
    const app = express()
    app.get('/past', (_req, res) => void res.end())
    app.use('/router', express.Router())
    const faults = await findAccessFaults({ app, routes: [] }, client)
    expect(faults.map(({ route }) => route)).toEqual(['/past', 'router'])
    const beside = ['/past', 'router']
    expect(await findAccessFaults({ app, routes: [] }, client, { beside })).toEqual([])
  })

  it('AUZ-07 accepts a public route that declares its own 401, such as a receiver of webhooks', async () => {
    const errors = defineErrors({ bad_signature: { status: 401, title: 'Not signed.' } })
    const handler = () => {
      throw new ApiError(errors.bad_signature)
    }
    const receiver = defineRoute({ method: 'post', path: '/', access: 'public', handler })
    const find = async (route: typeof receiver) => {
      const hooks = createRegistry().use('/api/hook', createRouter([route]))
      const own = createApi({ routes: hooks, auth: false, database: false, rateLimit: false })
      const started = await createTestClient(own)
      closers.push(() => started.stop())
      return findAccessFaults(own, started)
    }
    expect(await find({ ...receiver, errors: [errors.bad_signature] })).toEqual([])
    expect(await find(receiver)).toHaveLength(1)
  })

  it('AUZ-07 finds a route without access', async () => {
    const [first] = api.routes
    if (!first) throw new Error('There are no routes.')
    const silent = { ...first, route: { ...first.route, access: undefined as never } }
    const faults = await findAccessFaults({ app: api.app, routes: [silent] }, client)
    expect(faults).toMatchObject([{ problem: 'has no access' }])
  })
})
