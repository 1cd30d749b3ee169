import { type Connection, Types } from 'mongoose'
import type supertest from 'supertest'
import { type Role, type User } from '../access/caller.ts'
import { type Rule, toRule } from '../access/access.ts'
import { type Api } from '../create-api.ts'
import { type Endpoint } from '../route/route.ts'
import { toLeaves } from './outcomes.ts'
import { toTenantHeader } from './tenant-header.ts'

/** A caller whom the routes of a path admit: a user, or anyone where all of them are public. */
export interface TestCaller {
  /** The user; undefined where the routes are public. */
  readonly user?: User | undefined
  /** Header fields to send: the token, and the organization where a header names it. */
  readonly headers: Readonly<Record<string, string>>
  /** supertest, with these header fields: `caller.request.get('/api/posts').expect(200)`. */
  readonly request: ReturnType<typeof supertest>
  /** The path of the routes, with the id of the organization instead of `:org`. */
  readonly path: string
  /** Fields of the documents of the caller. */
  readonly scope: CallerScope
  /**
   * Stores a document of the caller, for others to refer to. Neither its schema nor its validation is applied.
   * @param model - name of its Mongoose model
   * @param fields - its other fields
   * @returns its id and the fields
   */
  insert<Fields extends object>(model: string, fields?: Fields): Promise<Fields & { id: string }>
}

/** Fields of the documents of a caller. */
export interface CallerScope {
  /** Id of the user; absent where the routes are public. */
  readonly owner?: string
  /** Id of an organization that only this caller belongs to; absent where no route needs one. */
  readonly organization?: string
}

/** The parts of a running API that a caller is created with. */
export interface CallerPlace {
  readonly api: Pick<Api, 'config' | 'routes' | 'tenants'>
  readonly connection: Connection | undefined
  readonly signUp: (options: {
    readonly roles: readonly Role[]
  }) => Promise<{ readonly user: User; readonly headers: { readonly Authorization: string } }>
  /** supertest for the API, with header fields. */
  readonly toRequest: (headers: TestCaller['headers']) => TestCaller['request']
}

export async function createCaller(place: CallerPlace, path: string): Promise<TestCaller> {
  const { api, connection, signUp, toRequest } = place
  const { isOpen, leaves } = readAccess(api.routes, path)
  if (isOpen) return toCaller({ headers: {}, scope: {} }, { connection, path, toRequest })
  const { headers, user } = await signUp({ roles: toRoles(api, leaves) })
  const organization = await createOrganization(api, { leaves, user: user.id })
  const caller = {
    user,
    headers: { ...headers, ...toTenantHeader(api, organization) },
    scope: { owner: user.id, ...(organization !== undefined && { organization }) },
  }
  const own = path.replace(/:org\b/, organization ?? ':org')
  return toCaller(caller, { connection, path: own, toRequest })
}

function toCaller(
  caller: Pick<TestCaller, 'user' | 'headers' | 'scope'>,
  { connection, path, toRequest }: Pick<CallerPlace, 'connection' | 'toRequest'> & { path: string },
): TestCaller {
  return {
    ...caller,
    path,
    request: toRequest(caller.headers),
    async insert<Fields extends object>(model: string, fields?: Fields) {
      if (!connection) throw new Error('insert() needs a database, which this API does not have.')
      const ids = Object.entries<string>({ ...caller.scope })
      const scope = Object.fromEntries(ids.map(([name, id]) => [name, new Types.ObjectId(id)]))
      const document = { ...fields, ...scope }
      const { insertedId } = await connection.model(model).collection.insertOne(document)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without fields, none are promised
      return { ...fields, id: String(insertedId) } as Fields & { id: string }
    },
  }
}

interface PathAccess {
  readonly isOpen: boolean
  /** The rules that the access of the routes and of their references consists of. */
  readonly leaves: readonly Rule[]
}

function readAccess(routes: readonly Endpoint[], path: string): PathAccess {
  const own = findRoutes(routes, path)
  if (own.length === 0) {
    const known = [...new Set(routes.map((endpoint) => endpoint.path))].join(', ')
    throw new TypeError(`createCaller('${path}'): no route has this path. Paths: ${known}`)
  }
  const accesses = own.flatMap(({ route }) => [
    route.access,
    ...Object.values(route.references ?? {}),
  ])
  return {
    isOpen: accesses.every((access) => toRule(access).anonymous),
    leaves: accesses.flatMap(toLeaves),
  }
}

// Finds the routes of a list and of its documents: `/api/posts`, `/api/posts/:id`, `/api/posts/:id/restore`. Resources nested under a
// document have another parameter, as in `/api/posts/:postId/comments`.
function findRoutes(routes: readonly Endpoint[], path: string): readonly Endpoint[] {
  const parents = routes
    .map((endpoint) => endpoint.path)
    .filter((one) => one.startsWith(`${path}/`) && !one.slice(path.length + 1).includes('/'))
  return routes.filter(
    (endpoint) =>
      endpoint.path === path || parents.some((one) => `${endpoint.path}/`.startsWith(`${one}/`)),
  )
}

// All the roles and permissions that rules name, each by the roles that have it.
function toRoles({ config }: CallerPlace['api'], leaves: readonly Rule[]): Role[] {
  const permissions = config.auth ? config.auth.roles?.permissions : undefined
  const known = Object.entries<readonly string[]>({ ...permissions })
  const roles = leaves
    .flatMap(({ scopes }) => scopes)
    .flatMap((name) => {
      const having = known.filter(([role, of]) => role === name || of.includes(name))
      return having.length > 0 ? having.map(([role]) => role) : [name]
    })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API knows its own roles
  return [...new Set(roles)] as Role[]
}

interface Membership {
  readonly leaves: readonly Rule[]
  readonly user: string
}

async function createOrganization(
  { tenants }: CallerPlace['api'],
  { leaves, user }: Membership,
): Promise<string | undefined> {
  if (!tenants || !leaves.some(({ tenant }) => tenant)) return undefined
  const { id, roles } = await tenants.create('Test', user)
  const needed = leaves.flatMap(({ form }) => (form?.kind === 'member' ? form.roles : []))
  const all = [...new Set([...roles, ...needed])]
  if (all.length > roles.length) await tenants.setRoles({ organization: id, user }, all)
  return id
}
