import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { getAuth } from '../../src/auth.ts'
import {
  type Authenticator,
  createApi,
  createRegistry,
  createRouter,
  defineAuthenticator,
  get,
  success,
} from '../../src/index.ts'
import { type AccessFault, createTestClient, findAccessFaults } from '../../src/testing.ts'

const routes = createRouter(
  (['public', 'optional', 'user', 'owner', 'admin'] as const).map((access) =>
    get(`/${access}`, { access, response: z.unknown() }, (req, res) =>
      success(res, { scope: req.scope }),
    ),
  ),
)

async function findFaults(authenticator?: Authenticator): Promise<AccessFault[]> {
  const api = createApi({
    name: 'keys',
    routes: createRegistry().use('/api/things', routes),
    rateLimit: false,
    log: { level: 'silent' },
    auth: { apiKeys: {}, limits: false },
    authenticator,
  })
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  return findAccessFaults(api, client)
}

describe('findAccessFaults', () => {
  it('AUZ-07 finds nothing where API keys are held to their scopes', async () => {
    expect(await findFaults()).toEqual([])
  })

  it('AUZ-07 finds routes on which an API key is as good as its owner', async () => {
    const careless = defineAuthenticator(async (req) => {
      await getAuth(req).authenticate(req)
      req.apiKey = undefined
      const {
        id = '',
        email = '',
        roles = [],
      } = (await getAuth(req).users.findById(req.user?.id ?? '')) ?? {}
      return { id, email, roles: roles.includes('admin') ? ['admin'] : [] }
    })
    const faults = await findFaults(careless)
    const things = faults.filter(({ route }) => route.startsWith('GET /api/things'))
    expect(things).toEqual([problem('user'), problem('owner'), problem('admin', 'user')])
    expect(faults.map(({ route }) => route)).toContain('POST /api/v1/auth/keys')
  })
})

function problem(name: string, scope = 'admin'): AccessFault {
  const route = `GET /api/things/${name}`
  return { route, problem: `returns 200 for an API key with the scope '${scope}', not 403` }
}
