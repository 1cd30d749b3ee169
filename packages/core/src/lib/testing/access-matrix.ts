import { type Api } from '../create-api.ts'
import { toRole } from '../routing/access.ts'
import { type Endpoint } from '../routing/route.ts'
import { type User } from '../routing/caller.ts'
import { type TestClient } from './create-test-client.ts'

/** A route that does not do what it says about access. */
export interface AccessFault {
  /** Method and path of the route. */
  readonly route: string
  /** What is wrong. */
  readonly problem: string
}

/** Options for {@link findAccessFaults}. */
export interface AccessMatrixOptions {
  /**
   * Paths of documents that belong to somebody else, by the pattern of the path:
   * `{ '/api/posts/:id': '/api/posts/65f0c0ffee0123456789abcd' }`. A new user gets a 404 for them
   * where the access is `owner`, a 403 or 404 where it is a rule.
   * @default {}
   */
  foreign?: Readonly<Record<string, string>> | undefined
  /**
   * Express routes that are meant to stand beside those of the framework, by their path, and
   * `router` for mounted routers; their access is not looked at.
   * @default []
   */
  beside?: readonly string[] | undefined
}

/**
 * Walks every route of an API and tries its access: without a token, with one that is not valid,
 * with that of a user, and for roles with that of a user of the role. Finds Express routes too that
 * were mounted past the framework, whose access nobody stated.
 * @param api - the API
 * @param client - a test client of it, as `createTestClient` makes it
 * @param options - what is meant to stand beside
 * @returns the faults; empty when every route does what it says
 */
export async function findAccessFaults(
  api: Pick<Api, 'app' | 'routes'>,
  client: Pick<TestClient, 'signUp' | 'url'>,
  options: AccessMatrixOptions = {},
): Promise<AccessFault[]> {
  const faults = findLayersBeside(api, options.beside ?? [])
  for (const endpoint of api.routes) {
    const route = `${endpoint.method} ${endpoint.path}`
    const problems = [
      ...(await findProblems(endpoint, client)),
      ...(await findOpenDocuments(endpoint, client, options.foreign ?? {})),
    ]
    for (const problem of problems) faults.push({ route, problem })
  }
  return faults
}

type Client = Pick<TestClient, 'signUp' | 'url'>

async function findProblems(endpoint: Endpoint, client: Client): Promise<string[]> {
  const { access } = endpoint.route
  if (!access) return ['states no access']
  const without = await send(endpoint, client)
  if (access === 'public') {
    return isRefused(without) ? [`is public, but answers ${without.status} without a token`] : []
  }
  const [scheme = ''] = (without.headers.get('www-authenticate') ?? 'Bearer').split(' ')
  const forged = await send(endpoint, client, { Authorization: `${scheme} forged` })
  return [
    ...expectStatus(without, 401, 'without a token'),
    ...expectStatus(forged, 401, 'to a forged token'),
    ...(without.status === 401 && !without.headers.has('www-authenticate')
      ? ['answers 401 without WWW-Authenticate']
      : []),
    ...(await findProblemsOfUsers(endpoint, client)),
  ]
}

async function findProblemsOfUsers(endpoint: Endpoint, client: Client): Promise<string[]> {
  const { access } = endpoint.route
  // A new user for each request: some routes end the session they are called with.
  const sendAs = async (role: User['role']): Promise<Response> =>
    send(endpoint, client, (await client.signUp({ role })).headers)
  const asUser = await sendAs('user')
  const role = toRole(access)
  if (role === undefined) {
    return isRefused(asUser) ? [`answers ${asUser.status} to a user`] : []
  }
  const asRole = await sendAs(role)
  return [
    ...expectStatus(asUser, 403, 'to a user without the role'),
    ...(isRefused(asRole) ? [`answers ${asRole.status} to the role '${role}'`] : []),
  ]
}

async function findOpenDocuments(
  endpoint: Endpoint,
  client: Client,
  foreign: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { method, route } = endpoint
  const path = foreign[endpoint.path]
  if (path === undefined || (route.access !== 'owner' && typeof route.access !== 'function')) {
    return []
  }
  const { headers } = await client.signUp()
  // Under `owner` a body is judged before the document is looked for, and this one may be too short.
  const hasBody = route.body !== undefined
  const refusals = route.access === 'owner' ? [404, ...(hasBody ? [422] : [])] : [403, 404]
  const { status } = await fetch(client.url + path, {
    method,
    headers: { ...headers, ...(hasBody && { 'Content-Type': 'application/json' }) },
    body: hasBody ? '{}' : null,
  })
  return refusals.includes(status)
    ? []
    : [`answers ${status} on another user's document, not ${refusals.join(' or ')}`]
}

function send(
  { method, path }: Endpoint,
  { url }: Client,
  headers: Record<string, string> = {},
): Promise<Response> {
  // An id of the right form that names nothing, so that nobody's document is touched.
  return fetch(url + path.replaceAll(/:\w+/g, '000000000000000000000000'), { method, headers })
}

function isRefused({ status }: Response): boolean {
  return status === 401 || status === 403
}

function expectStatus(answer: Response, status: number, when: string): string[] {
  return answer.status === status ? [] : [`answers ${answer.status} ${when}, not ${status}`]
}

interface Layer {
  readonly route?: { readonly path: unknown } | undefined
  readonly handle?: unknown
}

function findLayersBeside({ app }: Pick<Api, 'app'>, beside: readonly string[]): AccessFault[] {
  const { stack }: { stack: readonly Layer[] } = app.router
  return stack.flatMap((layer) => {
    const route = layer.route ? String(layer.route.path) : isRouter(layer) ? 'router' : undefined
    if (route === undefined || beside.includes(route)) return []
    return [{ route, problem: 'was mounted past the framework and states no access' }]
  })
}

function isRouter({ handle }: Layer): boolean {
  return typeof handle === 'function' && 'stack' in handle
}
