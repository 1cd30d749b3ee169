import { type Api } from '../create-api.ts'
import { type Role } from '../access/caller.ts'
import { type Endpoint } from '../route/route.ts'
import { type TestClient, type TestUser } from './create-test-client.ts'
import { type CallerFacts, toLeaves } from './outcomes.ts'
import { toTenantHeader } from './tenant-header.ts'

/** The members of the API that the access check uses. */
export type MatrixApi = Pick<Api, 'app' | 'routes'> & Partial<Pick<Api, 'config' | 'tenants'>>

/** The members of a test client that the access check uses. */
export type MatrixClient = Pick<TestClient, 'signUp' | 'url'> &
  Partial<Pick<TestClient, 'createKey'>>

/** Signs a user in to an organization. */
export type Enter = (user: TestUser, organization: string) => Promise<Pick<TestUser, 'headers'>>

/** A caller, for requests to one organization. */
export interface MatrixCaller extends CallerFacts {
  /** Name of this kind of caller. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

/** A kind of caller. */
export interface CallerKind {
  readonly name: string
  readonly roles: readonly Role[]
  /** Roles in the organization; undefined for users who are not members. */
  readonly memberRoles?: readonly string[] | undefined
  /** Scopes of an API key of the user. */
  readonly scopes?: readonly string[] | undefined
}

// Users without roles, and where the access depends on them, users with each role; where it depends on the organization, users
// who are not members, members, and members with each role.
export function toKinds({ route }: Endpoint, { config, routes }: MatrixApi): CallerKind[] {
  const forms = toLeaves(route.access).map(({ form }) => form)
  const needsRoles = toLeaves(route.access).some(({ scopes }) => scopes.length > 0)
  const tenants = config?.tenants
  const isTenant = toLeaves(route.access).some(({ tenant }) => tenant)
  const roles = needsRoles ? toRoles(routes, config) : []
  const people = [
    { name: 'a user', roles: [] },
    ...roles.map((role) => ({ name: `a user with the role '${role}'`, roles: [role] })),
  ]
  if (!isTenant || !tenants) return people
  const needsMemberRoles = forms.some((form) => form?.kind === 'member' && form.roles.length > 0)
  const memberRoles = needsMemberRoles ? ['admin', ...(tenants.roles ?? [])] : []
  return [
    ...people.map((kind) => ({ ...kind, name: `${kind.name} of another organization` })),
    ...people.map((kind) => ({
      ...kind,
      name: `${kind.name} of the organization`,
      memberRoles: [],
    })),
    ...memberRoles.map((role) => ({
      name: `a member with the role '${role}'`,
      roles: [],
      memberRoles: [role],
    })),
  ]
}

// API keys of a user with a role: one with this role only, and one with the scope `user` only.
export function toKeyKinds({ route }: Endpoint, { config, routes }: MatrixApi): CallerKind[] {
  const known = toRoles(routes, config)
  const named = toLeaves(route.access).flatMap(({ form }) =>
    form?.kind === 'role' ? [form.name] : [],
  )
  const role = known.find((name) => named.includes(name)) ?? known[0]
  if (role === undefined) return []
  const memberRoles = toLeaves(route.access).some(({ tenant }) => tenant) ? ['admin'] : undefined
  return [
    { name: `an API key with the scope '${role}'`, roles: [role], memberRoles, scopes: [role] },
    { name: "an API key with the scope 'user'", roles: [role], memberRoles, scopes: ['user'] },
  ]
}

// Lists the roles that the API defines, or else those that its routes name.
function toRoles(routes: MatrixApi['routes'], config: MatrixApi['config']): Role[] {
  const auth = config?.auth
  const defined = auth ? Object.keys(auth.roles?.permissions ?? {}) : []
  const named = routes
    .flatMap(({ route }) => (route.access ? toLeaves(route.access) : []))
    .flatMap(({ form }) => (form?.kind === 'role' ? [form.name] : []))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API knows its own roles
  return [...new Set(defined.length > 0 ? defined : named)] as Role[]
}

interface Place {
  readonly api: MatrixApi
  readonly client: MatrixClient
  readonly enter?: Enter | undefined
}

/** The users of an access check, who are signed up once. */
export interface CallerPool {
  /** The user of a kind, as a caller who names an organization and is a member of it if the kind says so. */
  take(kind: CallerKind, organization: string | undefined): Promise<MatrixCaller>
  /** Replaces the user of a kind after a request that may have ended the session. */
  forget(kind: CallerKind): void
}

interface Person {
  readonly user: TestUser
  /** The API key that the kind has. */
  readonly key: Pick<TestUser, 'headers'> | undefined
}

export function createCallerPool({ api, client, enter }: Place): CallerPool {
  const known = new Map<string, Person>()

  async function signUp(kind: CallerKind): Promise<Person> {
    const user = await client.signUp({ roles: kind.roles })
    const person = { user, key: kind.scopes && (await client.createKey?.(user, kind.scopes)) }
    known.set(toKey(kind), person)
    return person
  }

  return {
    async take(kind, organization) {
      const { key, user } = known.get(toKey(kind)) ?? (await signUp(kind))
      const isNamed = organization !== undefined
      if (isNamed && kind.memberRoles) {
        await api.tenants?.addMember({ organization, user: user.user.id }, kind.memberRoles)
      }
      const entered = isNamed && enter ? await enter(user, organization) : user
      const headers = { ...(key ?? entered).headers, ...toTenantHeader(api, organization) }
      return { ...toFacts(user, kind), name: kind.name, headers }
    },
    forget: (kind) => void known.delete(toKey(kind)),
  }
}

function toKey({ name, roles }: CallerKind): string {
  return [name, ...roles].join(' ')
}

function toFacts({ user }: TestUser, { memberRoles, roles, scopes }: CallerKind): CallerFacts {
  const has = (name: string): boolean => scopes === undefined || scopes.includes(name)
  const isGranted = (name: string): boolean => has(name) || roles.some(has)
  const { permissions = [] } = user
  return {
    roles: roles.filter(has),
    permissions: permissions.filter(isGranted),
    memberRoles,
    scopes,
  }
}
