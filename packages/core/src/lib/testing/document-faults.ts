import { isRecord } from '../json/plain.ts'
import { type Endpoint } from '../route/route.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'
import { type TestCaller } from './create-caller.ts'
import { type TestUser } from './create-test-client.ts'
import { type DocumentPaths, type PatternedPath } from './document-paths.ts'
import {
  type CallerKind,
  type CallerPool,
  type Enter,
  type MatrixApi,
  type MatrixCaller,
  type MatrixClient,
  toKinds,
} from './matrix-callers.ts'
import { type DocumentFacts, type Outcome, toLeaves, toOutcomes } from './outcomes.ts'
import { toTenantHeader } from './tenant-header.ts'

/** Documents for the access check. */
export interface DocumentOptions {
  /**
   * Paths of documents that belong to another user: `['/api/posts/65f0c0ffee0123456789abcd']`, or by the pattern of one route:
   * `{ '/api/posts/:id': '/api/posts/65f0c0ffee0123456789abcd' }`. Callers who cannot reach it by the access of the route must get
   * 404, or 403 if they are refused, or 422 if the route has a body; it must not be in the list of the resource. A new user without
   * roles must not reach it by a rule of the application. Fields of such a document that are restricted to a role must be absent.
   * @default []
   */
  foreign?: DocumentPaths | undefined
  /**
   * Paths of documents that were deleted and are kept, or by the pattern of one route: everyone must get 404, or 403 if they are
   * refused, and they must not be in the list. The route that restores one has its document in `foreign`.
   * @default []
   */
  deleted?: DocumentPaths | undefined
  /**
   * The user who owns the documents, or the caller who created them: reads the others, gets 404 for the deleted ones,
   * and supplies valid bodies.
   * @default undefined
   */
  owner?: Pick<TestUser, 'user' | 'headers'> | TestCaller | undefined
  /**
   * Id of the organization that the documents belong to, where their paths do not name it.
   * @default the organization of `owner`
   */
  organization?: string | undefined
  /**
   * Signs a user in to an organization, for `createTenants({ from: 'token' })`. Without it, members are not tried there.
   * @default undefined
   */
  enter?: Enter | undefined
}

/** The options with a pattern for each path. */
export interface DocumentInput {
  readonly foreign: readonly PatternedPath[]
  readonly deleted: readonly PatternedPath[]
  readonly owner: DocumentOwner | undefined
  readonly organization: string | undefined
}

interface DocumentOwner extends Pick<TestUser, 'user'> {
  readonly headers: Readonly<Record<string, string>>
}

export interface DocumentMatrix {
  readonly api: MatrixApi
  readonly client: MatrixClient
  readonly options: DocumentInput
  readonly pool: CallerPool
}

/** A document to be tried. */
interface Target {
  readonly name: string
  readonly path: string
  readonly isDeleted: boolean
  readonly organization: string | undefined
}

/** A caller, and what the access check knows about the document in its request. */
interface Trial {
  readonly caller: MatrixCaller
  readonly document: DocumentFacts
  readonly path: string
}

// Finds the documents of a route that are open to callers who must not reach them.
export async function findOpenDocuments(
  endpoint: Endpoint,
  matrix: DocumentMatrix,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const target of toTargets(endpoint, matrix.options)) {
    for (const trial of await toTrials(endpoint, target, matrix)) {
      problems.push(...(await findProblems(endpoint, { target, trial }, matrix)))
    }
  }
  return problems
}

// Lists the documents of the route itself, and for a list those of the routes below it.
function toTargets(endpoint: Endpoint, options: DocumentInput): Target[] {
  const { deleted, foreign, organization } = options
  const named = (paths: readonly PatternedPath[], isDeleted: boolean): Target[] =>
    paths
      .filter(([pattern]) => pattern === endpoint.path || isListOf(endpoint, pattern))
      .map(([pattern, path]) => ({
        name: isDeleted ? 'a deleted document' : "another user's document",
        path,
        isDeleted,
        organization: findOrganization(pattern, path) ?? organization,
      }))
  return [...named(foreign, false), ...named(deleted, true)]
}

function isListOf({ method, path }: Endpoint, pattern: string): boolean {
  return (
    method === 'GET' &&
    pattern.startsWith(`${path}/:`) &&
    !pattern.slice(path.length + 1).includes('/')
  )
}

function findOrganization(pattern: string, path: string): string | undefined {
  const at = pattern.split('/').indexOf(':org')
  return at === -1 ? undefined : path.split('/')[at]
}

async function toTrials(
  endpoint: Endpoint,
  target: Target,
  matrix: DocumentMatrix,
): Promise<Trial[]> {
  const { api, options, pool } = matrix
  const { organization, path } = target
  const { access } = endpoint.route
  if (access === 'public') return [toTrial({ name: 'anyone', headers: {}, roles: [] }, path)]
  const isTenant = toLeaves(access).some(({ tenant }) => tenant)
  if (isTenant && organization === undefined) throw new TypeError(toMissing(endpoint, path))
  const trials: Trial[] = []
  for (const kind of toKinds(endpoint, api)) {
    trials.push(toTrial(await pool.take(kind, organization), path))
    if (isTenant && !kind.memberRoles) trials.push(await toOutsider(kind.roles, target, matrix))
  }
  const { owner } = options
  return owner ? [...trials, await toOwner(owner, target, matrix)] : trials
}

function toMissing({ method, path: pattern }: Endpoint, path: string): string {
  return `The access of ${method} ${pattern} needs the organization of ${path}: findAccessFaults(api, client, { organization }).`
}

function toTrial(
  caller: Omit<MatrixCaller, 'permissions'> & Partial<MatrixCaller>,
  path: string,
  document: DocumentFacts = { own: false, inOrganization: true },
): Trial {
  return { caller: { permissions: [], ...caller }, document, path }
}

// The id of no user.
const absent = '000000000000000000000000'

// An administrator of another organization, who names that one.
async function toOutsider(
  roles: CallerKind['roles'],
  { organization, path }: Target,
  { api, pool }: DocumentMatrix,
): Promise<Trial> {
  const other = await api.tenants?.create('Other', absent)
  const id = other?.id ?? ''
  const kind = { name: 'an administrator of another organization', roles, memberRoles: ['admin'] }
  const caller = await pool.take(kind, id)
  const own = organization === undefined ? path : path.replace(organization, id)
  return toTrial(caller, own, { own: false, inOrganization: false })
}

async function toOwner(
  owner: DocumentOwner,
  { organization = '', path }: Target,
  { api }: DocumentMatrix,
): Promise<Trial> {
  const { id, permissions, roles } = owner.user
  const memberRoles = await api.tenants?.readRoles({ organization, user: id })
  const headers = { ...owner.headers, ...toTenantHeader(api, organization) }
  const caller = { name: 'the owner', headers, roles, permissions, memberRoles }
  return toTrial(caller, path, { own: true, inOrganization: true })
}

async function findProblems(
  endpoint: Endpoint,
  { target, trial }: { readonly target: Target; readonly trial: Trial },
  matrix: DocumentMatrix,
): Promise<string[]> {
  const outcomes = toPossible(endpoint, target, trial)
  if (endpoint.path.split('/').length < target.path.split('/').length) {
    return findInList({ outcomes, target, trial }, matrix)
  }
  const mayReach = outcomes.has('reached')
  // A request that succeeds could change the document.
  if (mayReach && (endpoint.method !== 'GET' || outcomes.size > 1)) return []
  const body = await toBody(endpoint, target, matrix)
  const status = await send(endpoint, { ...trial, body }, matrix)
  const expected = toStatuses(endpoint, outcomes)
  // A document that is for everyone can be hidden by the handler; one that is for a role or its owner must be there for them.
  const isPromised = trial.document.own || trial.caller.roles.length > 0
  const isExpected = mayReach ? status < 400 || !isPromised : expected.includes(status)
  if (isExpected) return []
  const wanted = mayReach ? '' : `, not ${expected.join(' or ')}`
  const what = trial.document.own && !target.isDeleted ? 'the document' : target.name
  return [`returns ${status} to ${trial.caller.name} for ${what}${wanted}`]
}

function toPossible(
  { route: { access } }: Endpoint,
  { isDeleted }: Target,
  { caller, document }: Trial,
): ReadonlySet<Outcome> {
  const outcomes = new Set(toOutcomes(access, caller, document))
  if (isDeleted && outcomes.delete('reached')) outcomes.add('outside')
  // The options promise that such a document is not for new users.
  const isStranger = caller.roles.length === 0 && !document.own
  if (isStranger && outcomes.size > 1) outcomes.delete('reached')
  return outcomes
}

function toStatuses({ route }: Endpoint, outcomes: ReadonlySet<Outcome>): number[] {
  return [
    // With `load`, a document that is visible and not reached is a 403.
    ...(outcomes.has('refused') || route.load ? [403] : []),
    ...(outcomes.has('outside') ? [404] : []),
    // The body is validated before the document is read, and this one may be invalid.
    ...(outcomes.has('outside') && route.body ? [422] : []),
  ]
}

async function findInList(
  {
    outcomes,
    target,
    trial,
  }: { readonly outcomes: ReadonlySet<Outcome>; readonly target: Target; readonly trial: Trial },
  { client }: DocumentMatrix,
): Promise<string[]> {
  if (outcomes.has('reached')) return []
  const [, list = '', id = ''] = /^(.*)\/([^/]+)$/.exec(trial.path) ?? []
  const read = (query: string): Promise<Response> =>
    fetch(`${client.url}${list}${query}`, { headers: trial.caller.headers })
  const page = await read('?limit=100')
  const text = await (page.status === 400 ? await read('') : page).text()
  return text.includes(JSON.stringify(decodeURIComponent(id)))
    ? [`lists ${target.name} to ${trial.caller.name}`]
    : []
}

// Reads the document as its owner, and keeps the members that the route accepts.
async function toBody(
  { route: { body } }: Endpoint,
  { path, organization, isDeleted }: Target,
  { api, client, options: { owner } }: DocumentMatrix,
): Promise<object> {
  const fields: unknown = body && 'shape' in body ? body.shape : undefined
  if (!owner || isDeleted || !isRecord(fields)) return {}
  const headers = { ...owner.headers, ...toTenantHeader(api, organization) }
  const response = await fetch(client.url + path, { headers })
  if (!response.ok) return {}
  const { data }: { data?: unknown } = Object(await response.json())
  return Object.fromEntries(
    Object.entries(Object(data)).filter(([name]) => Object.hasOwn(fields, name)),
  )
}

async function send(
  { method, route: { body: schema } }: Endpoint,
  { body, caller, path }: Trial & { readonly body: object },
  { client }: DocumentMatrix,
): Promise<number> {
  // Without a body, an upload lacks the parts that it requires.
  const hasBody = schema !== undefined && toMultipartPlan(schema) === undefined
  const { status } = await fetch(client.url + path, {
    method,
    headers: { ...caller.headers, ...(hasBody && { 'Content-Type': 'application/json' }) },
    body: hasBody ? JSON.stringify(body) : null,
  })
  return status
}
