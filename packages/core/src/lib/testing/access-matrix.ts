import { type Api } from '../create-api.ts'
import { toRole, toRule } from '../kernel/access.ts'
import { type Endpoint } from '../kernel/route.ts'
import { type Role } from '../kernel/caller.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'
import { findFieldFaults, toWithheldFields } from './field-faults.ts'
import { type TestClient } from './create-test-client.ts'

/** A route whose responses contradict its declared access. */
export interface AccessFault {
  /** Method and path of the route. */
  readonly route: string
  /** Description of the fault. */
  readonly problem: string
}

/** Options for {@link findAccessFaults}. */
export interface AccessMatrixOptions {
  /**
   * Paths of documents that belong to another user, by the pattern of the route:
   * `{ '/api/posts/:id': '/api/posts/65f0c0ffee0123456789abcd' }`. A new user must get 404 if the
   * access is `owner`, and 403 or 404 if it is a rule; or 422 if the route has a body. Fields of such a document that are
   * restricted to a role must be absent.
   * @default {}
   */
  foreign?: Readonly<Record<string, string>> | undefined
  /**
   * Paths of Express routes that are intentionally mounted outside the framework, and `router` for
   * mounted Express routers; their access is not checked.
   * @default []
   */
  beside?: readonly string[] | undefined
}

/**
 * Tests the declared access of every route of an API: without a token, with an invalid token, as a
 * user, and for roles as a user with the role; where users can create API keys, also with a key that
 * lacks the scope. Fields that are restricted to a role must be absent for a user without it. Also reports Express routes that were mounted outside the framework and so have no
 * declared access.
 * @param api - the API
 * @param client - a test client of the API, created by `createTestClient`
 * @param options - documents of other users, and routes to ignore
 * @returns the faults; empty when every route behaves as declared
 */
export async function findAccessFaults(
  api: Pick<Api, 'app' | 'routes'>,
  client: Pick<TestClient, 'signUp' | 'url'> & Partial<Pick<TestClient, 'createKey'>>,
  options: AccessMatrixOptions = {},
): Promise<AccessFault[]> {
  const faults = findForeignLayers(api, options.beside ?? [])
  const keys = toKeys(api, client)
  for (const endpoint of api.routes) {
    const route = `${endpoint.method} ${endpoint.path}`
    const problems = [
      ...(await findProblems(endpoint, client)),
      ...(await findOpenDocuments(endpoint, client, options.foreign ?? {})),
      ...(await findOpenFields(endpoint, client, options.foreign ?? {})),
      ...(keys ? await findProblemsOfKeys(endpoint, client, keys) : []),
    ]
    for (const problem of problems) faults.push({ route, problem })
  }
  return faults
}

type Client = Pick<TestClient, 'signUp' | 'url'>

async function findProblems(endpoint: Endpoint, client: Client): Promise<string[]> {
  const { access } = endpoint.route
  if (!access) return ['has no access']
  const without = await send(endpoint, client)
  if (access === 'public') {
    return isDenied(without) ? [`is public, but returns ${without.status} without a token`] : []
  }
  const [scheme = ''] = (without.headers.get('www-authenticate') ?? 'Bearer').split(' ')
  const forged = await send(endpoint, client, { Authorization: `${scheme} forged` })
  if (toRule(access).anonymous) {
    const isDeniedToAll = access === 'optional' && isDenied(without)
    return [
      ...(isDeniedToAll ? [`is optional, but returns ${without.status} without a token`] : []),
      ...expectStatus(forged, 401, 'for a forged token'),
      ...(await findProblemsOfUsers(endpoint, client)),
    ]
  }
  return [
    ...expectStatus(without, 401, 'without a token'),
    ...expectStatus(forged, 401, 'for a forged token'),
    ...(without.status === 401 && !without.headers.has('www-authenticate')
      ? ['returns 401 without WWW-Authenticate']
      : []),
    ...(await findProblemsOfUsers(endpoint, client)),
  ]
}

async function findProblemsOfUsers(endpoint: Endpoint, client: Client): Promise<string[]> {
  const { access } = endpoint.route
  // A new user for each request: some routes revoke the session of the caller.
  const sendAs = async (...roles: Role[]): Promise<Response> =>
    send(endpoint, client, (await client.signUp({ roles })).headers)
  const asUser = await sendAs()
  // Such as a handler that has not read the filter of its access.
  if (asUser.status === 500) return ['returns 500 for a user']
  const role = toRole(access)
  if (role === undefined) {
    // What a rule decides about a new user, only the application knows.
    return isDenied(asUser) && typeof access === 'string'
      ? [`returns ${asUser.status} for a user`]
      : []
  }
  const asRole = await sendAs(role)
  return [
    ...expectStatus(asUser, 403, 'for a user without the role'),
    ...(isDenied(asRole) ? [`returns ${asRole.status} for the role '${role}'`] : []),
  ]
}

interface Keys {
  readonly create: TestClient['createKey']
  /** A role of the API, which a key can have as its only scope. */
  readonly role: Role | undefined
}

function toKeys(
  { routes }: Pick<Api, 'routes'>,
  { createKey }: Partial<Pick<TestClient, 'createKey'>>,
): Keys | undefined {
  const hasKeys = routes.some(({ route }) => route.operationId === 'createApiKey')
  if (!hasKeys || !createKey) return undefined
  const [role] = routes.flatMap(({ route }) => (route.access && toRole(route.access)) ?? [])
  return { create: createKey, role }
}

// A key whose owner may call the route, without the scope for it.
async function findProblemsOfKeys(
  endpoint: Endpoint,
  client: Client,
  { create, role }: Keys,
): Promise<string[]> {
  const { access } = endpoint.route
  const { anonymous, byScope } = toRule(access)
  const needed = toRole(access)
  const owned = needed ?? role
  if (owned === undefined || anonymous || (byScope && needed === undefined)) return []
  const scope = needed === undefined ? owned : 'user'
  const { headers } = await create(await client.signUp({ roles: [owned] }), [scope])
  const when = `for an API key without the scope '${needed ?? 'user'}'`
  return expectStatus(await send(endpoint, client, headers), 403, when)
}

async function findOpenDocuments(
  endpoint: Endpoint,
  client: Client,
  foreign: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { method, route } = endpoint
  const path = foreign[endpoint.path]
  if (path === undefined || (route.access !== 'owner' && typeof route.access !== 'object')) {
    return []
  }
  const { headers } = await client.signUp()
  // The body is validated before the document is read, and this one may be invalid.
  const outside = route.access === 'owner' ? [404] : [403, 404]
  const expected = route.body ? [...outside, 422] : outside
  // Without a body, an upload lacks the parts that it requires.
  const hasBody = route.body !== undefined && toMultipartPlan(route.body) === undefined
  const { status } = await fetch(client.url + path, {
    method,
    headers: { ...headers, ...(hasBody && { 'Content-Type': 'application/json' }) },
    body: hasBody ? '{}' : null,
  })
  return expected.includes(status)
    ? []
    : [`returns ${status} for another user's document, not ${expected.join(' or ')}`]
}

async function findOpenFields(
  endpoint: Endpoint,
  client: Client,
  foreign: Readonly<Record<string, string>>,
): Promise<string[]> {
  const fields = toWithheldFields(endpoint)
  if (fields.length === 0) return []
  const { headers } = await client.signUp()
  const path = foreign[endpoint.path] ?? endpoint.path
  return findFieldFaults(fields, await send({ ...endpoint, path }, client, headers))
}

function send(
  { method, path }: Endpoint,
  { url }: Client,
  headers: Record<string, string> = {},
): Promise<Response> {
  // A valid id of no document, so that no document is changed.
  return fetch(url + path.replaceAll(/:\w+/g, '000000000000000000000000'), { method, headers })
}

function isDenied({ status }: Response): boolean {
  return status === 401 || status === 403
}

function expectStatus(response: Response, status: number, when: string): string[] {
  return response.status === status ? [] : [`returns ${response.status} ${when}, not ${status}`]
}

interface Layer {
  readonly route?: { readonly path: unknown } | undefined
  readonly handle?: unknown
}

function findForeignLayers({ app }: Pick<Api, 'app'>, beside: readonly string[]): AccessFault[] {
  const { stack }: { stack: readonly Layer[] } = app.router
  return stack.flatMap((layer) => {
    const route = layer.route ? String(layer.route.path) : isRouter(layer) ? 'router' : undefined
    if (route === undefined || beside.includes(route)) return []
    return [{ route, problem: 'is mounted outside the framework and has no access' }]
  })
}

function isRouter({ handle }: Layer): boolean {
  return typeof handle === 'function' && 'stack' in handle
}
