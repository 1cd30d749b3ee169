import { type Api, createApi, createRegistry, defineRoles, type Role } from '../../../src/index.ts'
import { createTenants } from '../../../src/tenants.ts'
import { createTestClient, type TestClient } from '../../../src/testing.ts'
import { createGuardedRouter, createPlan, type Plan } from './guarded-things.ts'
import { emails, type Party } from './random-access.ts'
import { type Random } from './random-rules.ts'

/** Someone who sends requests: a user, a script with an API key, or no one. */
export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly person?: Person | undefined
  readonly key?: Key | undefined
}

interface Person {
  readonly id: string
  readonly email: string
  readonly headers: Readonly<Record<string, string>>
  readonly roles: Set<string>
}

interface Key {
  readonly id: string
  readonly scopes: readonly string[]
  revoked: boolean
}

/** An API with several resources, and what is known of its users without asking it. */
export interface World {
  readonly url: string
  readonly from: 'path' | 'header'
  readonly plans: readonly Plan[]
  readonly callers: readonly Caller[]
  readonly owners: readonly string[]
  readonly organizations: readonly string[]
  /** What the API has logged as errors. */
  readonly errors: string[]
  readonly toParty: (caller: Caller, organization: string | undefined) => Party
  /** Changes a role, a membership or a key, which the next request must know. */
  readonly govern: (random: Random) => Promise<void>
  readonly stop: () => Promise<void>
}

const grants: Readonly<Record<string, readonly string[]>> = {
  admin: [],
  editor: ['things:write'],
  auditor: ['things:audit', 'things:write'],
}

const toPermissions = (roles: readonly string[]): string[] =>
  roles.flatMap((role) => grants[role] ?? [])

const siteRoles = [['admin', 'editor'], ['editor', 'auditor'], ['auditor'], []]

// The owner of each key and its scopes.
const keys = [
  [0, ['user']],
  [0, ['admin']],
  [0, ['user', 'admin', 'editor']],
  [0, ['things:write']],
  [1, ['user', 'things:audit']],
  [1, ['editor']],
  [2, ['user', 'auditor']],
  [2, ['user']],
  [3, ['user']],
] as const

// The roles of the members of each organization, by their position.
const members: readonly Readonly<Record<number, readonly string[]>>[] = [
  { 0: ['admin'], 1: [], 2: ['editor'] },
  { 1: ['admin', 'editor'], 2: [] },
  { 3: ['admin'] },
]

export async function createWorld(random: Random, count: number): Promise<World> {
  const errors: string[] = []
  const from = random.pick(['path', 'header'] as const)
  const plans = Array.from({ length: count }, () => createPlan(random))
  const routes = createRegistry()
  for (const [index, plan] of plans.entries()) {
    const isBelow = plan.inTenant && from === 'path'
    routes.use(isBelow ? `/api/orgs/:org/t${index}` : `/api/t${index}`, createGuardedRouter(plan))
  }
  const api = createApi({
    name: 'world',
    routes,
    auth: { apiKeys: {}, roles: defineRoles(grants), limits: false },
    tenants: createTenants({ from, roles: ['editor'] }),
    rateLimit: false,
    log: { level: 'error', stream: { write: (line) => void errors.push(line) } },
  })
  const client = await createTestClient(api)
  const people = await createPeople(client)
  const memberships = await createOrganizations(api, people)
  const atStart = new Map([...memberships].map(([id, own]) => [id, new Map(own)]))
  const callers = await createCallers(client, people)
  const organizations = [...memberships.keys()]

  async function changeRole(chance: Random): Promise<void> {
    const { id, roles } = chance.pick(people)
    const name = chance.pick(['editor', 'auditor'])
    if (roles.has(name)) await api.auth?.users.revokeRole(id, name)
    else await api.auth?.users.grantRole(id, name)
    if (!roles.delete(name)) roles.add(name)
  }

  async function changeMember(chance: Random): Promise<void> {
    const organization = chance.pick(organizations)
    const own = memberships.get(organization)
    const { id: user } = chance.pick(people)
    const roles = own?.get(user)
    // The last administrator stays.
    if (roles?.includes('admin')) return
    if (!roles) {
      await api.tenants?.addMember({ organization, user }, ['editor'])
      own?.set(user, ['editor'])
    } else if (roles.length > 0) {
      await api.tenants?.setRoles({ organization, user }, [])
      own?.set(user, [])
    } else {
      await api.tenants?.removeMember({ organization, user })
      own?.delete(user)
    }
  }

  async function revokeKey(chance: Random): Promise<void> {
    const { key } = chance.pick(callers.filter((caller) => caller.key))
    if (!key || key.revoked) return
    await api.auth?.apiKeys.revoke({ id: key.id })
    key.revoked = true
  }

  return {
    url: client.url,
    from,
    plans,
    callers,
    owners: [...people.map(({ id }) => id), '0'.repeat(24)],
    organizations,
    errors,
    toParty(caller, organization) {
      const { key, person } = caller
      const roles = person && memberships.get(organization ?? '')?.get(person.id)
      const granted = person && atStart.get(organization ?? '')?.get(person.id)
      return {
        user: person && toUser(person, key?.scopes),
        scopes: key?.scopes,
        organization,
        // A key never has more than when it was created.
        memberRoles: key ? granted && roles?.filter((role) => granted.includes(role)) : roles,
      }
    },
    govern: (chance) => chance.pick([changeRole, changeMember, changeMember, revokeKey])(chance),
    stop: () => client.stop(),
  }
}

function createPeople(client: TestClient): Promise<Person[]> {
  return Promise.all(
    emails.map(async (email, at) => {
      const roles = siteRoles[at] ?? []
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these roles are not declared for the other tests
      const { headers, user } = await client.signUp({ email, roles: roles as Role[] })
      return { id: user.id, email, headers: { ...headers }, roles: new Set(roles) }
    }),
  )
}

async function createCallers(client: TestClient, people: readonly Person[]): Promise<Caller[]> {
  const callers: Caller[] = [{ name: 'no one', headers: {} }]
  for (const person of people) {
    callers.push({ name: person.email, headers: person.headers, person })
  }
  for (const [at, scopes] of keys) {
    const { [at]: person } = people
    if (!person) continue
    const user = { id: person.id, email: person.email, roles: [] }
    const { headers, id } = await client.createKey({ user }, scopes)
    const name = `key of ${person.email} for ${scopes.join()}`
    callers.push({ name, headers: { ...headers }, person, key: { id, scopes, revoked: false } })
  }
  return callers
}

type Memberships = Map<string, Map<string, readonly string[]>>

async function createOrganizations(
  { tenants }: Api,
  people: readonly Person[],
): Promise<Memberships> {
  const memberships: Memberships = new Map()
  for (const roles of members) {
    const own = new Map(
      Object.entries(roles).map(([at, names]) => [people[Number(at)]?.id ?? '', names] as const),
    )
    const [first = '', ...others] = own.keys()
    const created = await tenants?.create('Organization', first)
    const { id: organization = '' } = created ?? {}
    await tenants?.setRoles({ organization, user: first }, own.get(first) ?? [])
    for (const user of others) {
      await tenants?.addMember({ organization, user }, own.get(user) ?? [])
    }
    memberships.set(organization, own)
  }
  return memberships
}

// What an API key leaves of the roles and permissions of its owner (docs/auth.md).
function toUser(
  { id, email, roles }: Person,
  scopes: readonly string[] | undefined,
): Party['user'] {
  const permissions = toPermissions([...roles])
  if (!scopes) return { id, email, roles: [...roles], permissions }
  const narrowed = [...roles].filter((name) => scopes.includes(name))
  const granted = [...scopes, ...toPermissions(narrowed)]
  return {
    id,
    email,
    roles: narrowed,
    permissions: permissions.filter((name) => granted.includes(name)),
  }
}
