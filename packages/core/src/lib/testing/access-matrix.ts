import { toRule } from '../access/access.ts'
import { type Endpoint } from '../route/route.ts'
import { findFieldFaults, toWithheldFields } from './field-faults.ts'
import {
  type DocumentInput,
  type DocumentMatrix,
  type DocumentOptions,
  findOpenDocuments,
} from './document-faults.ts'
import { toPatternedPaths } from './document-paths.ts'
import { findForeignLayers } from './foreign-layers.ts'
import {
  type CallerKind,
  createCallerPool,
  type MatrixApi,
  type MatrixCaller,
  type MatrixClient,
  toKeyKinds,
  toKinds,
} from './matrix-callers.ts'
import { type Outcome, toLeaves, toOutcomes } from './outcomes.ts'
import { toTenantHeader } from './tenant-header.ts'

/** A route whose responses contradict its declared access. */
export interface AccessFault {
  /** Method and path of the route. */
  readonly route: string
  /** Description of the fault. */
  readonly problem: string
}

/** Options for {@link findAccessFaults}. */
export interface AccessMatrixOptions extends DocumentOptions {
  /**
   * Path of the routes to be tested, with those below it: `'/api/posts'`.
   * @default undefined, all routes
   */
  only?: string | undefined
  /**
   * Paths of Express routes that are intentionally mounted outside the framework, and `router` for
   * mounted Express routers; their access is not checked.
   * @default []
   */
  beside?: readonly string[] | undefined
}

/**
 * Tests the declared access of every route of an API: without a token, with an invalid token, as a user, as a user with each role
 * that the access depends on, as members of the organization with each role and members of another one, and with API keys that
 * lack a scope. Fields that are restricted to a role must be absent for a user without it. With the options it also tries documents
 * of other users and deleted ones. It also reports Express routes that were mounted outside the framework and so have no declared
 * access.
 * @param api - the API
 * @param client - a test client of the API, created by `createTestClient`
 * @param options - documents to try, and routes to ignore
 * @returns the faults; empty when every route behaves as declared
 * @example
 * ```ts
 * expect(await findAccessFaults(api, client)).toEqual([])
 * ```
 */
export async function findAccessFaults(
  api: MatrixApi,
  client: MatrixClient,
  options: AccessMatrixOptions = {},
): Promise<AccessFault[]> {
  const { beside = [], enter, only } = options
  const faults = findForeignLayers(api, beside)
  const pool = createCallerPool({ api, client, enter })
  const matrix: Matrix = {
    api,
    client,
    options: toInput(api, options),
    pool,
    enters: enter !== undefined,
  }
  const isTested = ({ path }: Endpoint): boolean =>
    only === undefined || `${path}/`.startsWith(`${only}/`)
  for (const endpoint of api.routes.filter(isTested)) {
    const route = `${endpoint.method} ${endpoint.path}`
    for (const problem of await findProblems(endpoint, matrix)) faults.push({ route, problem })
  }
  return faults
}

interface Matrix extends DocumentMatrix {
  /** Whether the test can sign in to an organization that only tokens name. */
  readonly enters: boolean
}

function toInput(
  { routes }: MatrixApi,
  { deleted, foreign, organization, owner }: AccessMatrixOptions,
): DocumentInput {
  const scope = owner && 'scope' in owner ? owner.scope : undefined
  return {
    foreign: toPatternedPaths(routes, foreign),
    deleted: toPatternedPaths(routes, deleted),
    owner: owner?.user && { user: owner.user, headers: owner.headers },
    organization: organization ?? scope?.organization,
  }
}

async function findProblems(endpoint: Endpoint, matrix: Matrix): Promise<string[]> {
  if (!endpoint.route.access) return ['has no access']
  return [
    ...(await findProblemsOfTokens(endpoint, matrix)),
    ...(await findProblemsOfPeople(endpoint, matrix)),
    ...(await findProblemsOfKeys(endpoint, matrix)),
    ...(await findOpenDocuments(endpoint, matrix)),
    ...(await findOpenFields(endpoint, matrix)),
  ]
}

// Requests without a token and with a forged one.
async function findProblemsOfTokens(
  { method, path, route: { access, errors = [] } }: Endpoint,
  { api, client }: Matrix,
): Promise<string[]> {
  const header = toTenantHeader(api, absent)
  const request = { method, path: toAbsent(path) }
  const without = await send(client, { ...request, headers: header })
  if (access === 'public' || access === 'optional') {
    const isDenied = [401, 403].includes(without.status) && !isOwn(errors, without.status)
    if (isDenied) return [`is ${access}, but returns ${without.status} without a token`]
    if (access === 'public') return []
  }
  const [scheme = ''] = (without.headers.get('www-authenticate') ?? 'Bearer').split(' ')
  const headers = { ...header, Authorization: `${scheme} forged` }
  const forged = expectUnauthenticated(
    await send(client, { ...request, headers }),
    'for a forged token',
  )
  if (toRule(access).anonymous) return forged
  return [
    ...expectUnauthenticated(without, 'without a token'),
    ...forged,
    ...(without.status === 401 && !without.headers.has('www-authenticate')
      ? ['returns 401 without WWW-Authenticate']
      : []),
  ]
}

// An error of the application, such as that of a signature, does not deny access.
function isOwn(errors: NonNullable<Endpoint['route']['errors']>, status: number): boolean {
  return errors.some((error) => typeof error === 'object' && error.status === status)
}

function expectUnauthenticated({ status }: Response, when: string): string[] {
  return status === 401 ? [] : [`returns ${status} ${when}, not 401`]
}

async function findProblemsOfPeople(endpoint: Endpoint, matrix: Matrix): Promise<string[]> {
  const { access } = endpoint.route
  if (access === 'public') return []
  const problems: string[] = []
  for (const kind of toKinds(endpoint, matrix.api)) {
    if (kind.memberRoles && !canEnter(endpoint, matrix)) continue
    const { caller, status } = await sendAs(kind, endpoint, matrix)
    const outcomes = toOutcomes(access, caller)
    if (!isPossible(status, outcomes)) problems.push(toProblem(status, kind.name, outcomes))
  }
  return problems
}

// Only what a key must not do: the routes for people are closed to all keys.
async function findProblemsOfKeys(endpoint: Endpoint, matrix: Matrix): Promise<string[]> {
  const { access } = endpoint.route
  const { api, client } = matrix
  const hasKeys = api.routes.some(({ route }) => route.operationId === 'createApiKey')
  if (!hasKeys || !client.createKey || toRule(access).anonymous) return []
  const problems: string[] = []
  for (const kind of toKeyKinds(endpoint, api)) {
    const { caller, status } = await sendAs(kind, endpoint, matrix)
    const outcomes = toOutcomes(access, caller)
    const isRefused = outcomes.size === 1 && outcomes.has('refused')
    if (isRefused && status !== 403) problems.push(toProblem(status, kind.name, outcomes))
  }
  return problems
}

// Sends the request in a new organization, because some routes remove it.
async function sendAs(
  kind: CallerKind,
  endpoint: Endpoint,
  { api, client, pool }: Matrix,
): Promise<{ readonly caller: MatrixCaller; readonly status: number }> {
  const isTenant = toLeaves(endpoint.route.access).some(({ tenant }) => tenant)
  const created = isTenant ? await api.tenants?.create('Test', absent) : undefined
  const caller = await pool.take(kind, created?.id)
  const path = toAbsent(endpoint.path.replace(/:org\b/, created?.id ?? absent))
  const { headers } = caller
  const { method } = endpoint
  const { status } = await send(client, { method, path, headers })
  if (method !== 'GET' && status < 400) pool.forget(kind)
  return { caller, status }
}

// Tokens that name an organization are issued by the application.
function canEnter({ path }: Endpoint, { api, enters }: Matrix): boolean {
  const tenants = api.config?.tenants
  const isNamed = path.split('/').includes(':org') || (tenants && tenants.from === 'header')
  return Boolean(isNamed) || enters
}

async function findOpenFields(
  endpoint: Endpoint,
  { client, options: { foreign } }: Matrix,
): Promise<string[]> {
  const fields = toWithheldFields(endpoint)
  if (fields.length === 0) return []
  const { headers } = await client.signUp()
  const [, path = toAbsent(endpoint.path)] =
    foreign.find(([pattern]) => pattern === endpoint.path) ?? []
  return findFieldFaults(fields, await send(client, { method: endpoint.method, path, headers }))
}

// A valid id of no document, so that no document is changed.
const absent = '000000000000000000000000'

function toAbsent(path: string): string {
  return path.replaceAll(/:\w+/g, absent)
}

interface MatrixRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

function send({ url }: MatrixClient, { method, path, headers }: MatrixRequest): Promise<Response> {
  return fetch(url + path, { method, headers })
}

function isPossible(status: number, outcomes: ReadonlySet<Outcome>): boolean {
  // For example, the handler has not read the filter of its access.
  if (status === 500) return false
  if (outcomes.has('reached')) return outcomes.size > 1 || ![401, 403].includes(status)
  return (outcomes.has('refused') && status === 403) || (outcomes.has('outside') && status === 404)
}

function toProblem(status: number, who: string, outcomes: ReadonlySet<Outcome>): string {
  if (status === 500 || outcomes.has('reached')) return `returns ${status} for ${who}`
  return `returns ${status} for ${who}, not ${toExpected(outcomes)}`
}

function toExpected(outcomes: ReadonlySet<Outcome>): string {
  return [outcomes.has('refused') ? 403 : [], outcomes.has('outside') ? 404 : []]
    .flat()
    .join(' or ')
}
