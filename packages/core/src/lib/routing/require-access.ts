import { type Schema } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { runQueries } from '../database/run-queries.ts'
import { createStage, type Stage, type StepResult } from '../stage/stage.ts'
import { type Access, mayAct, type Rule, toAccessName, toRule, whenAll } from '../access/access.ts'
import { type ApiRequest, type Authenticator } from '../route/request.ts'
import { NestedQuery } from '../route/find-nested.ts'
import { type Route } from '../route/route.ts'
import {
  everything,
  noReferences,
  nothing,
  type Scope,
  scopeOf,
  type ScopeOf,
  copyFilter,
  setScope,
  toScope,
} from '../access/scope.ts'
import { requireKnownFields } from '../access/known-fields.ts'
import { toParamsParser } from './validate.ts'

/**
 * Creates the stage that loads the caller and enforces the access of a route. It needs the stage
 * `authentication` before it. Callers of public routes are not loaded. With `optional` and other rules that are
 * anonymous, a request without credentials has no caller; credentials that are not valid are a 401 (RFC 6750
 * section 3.1). The stage sets `req.scope`: the documents that the caller can reach.
 * @param access - `public`, `optional`, `user`, `owner`, a role or a rule
 * @returns the stage
 */
export function requireAccess(access: Access): Stage {
  return createAccessStage(access)
}

// `loadCaller` loads the caller instead of the authenticator.
export function createAccessStage(access: Access, loadCaller?: LoadCaller): Stage {
  if (access === 'public') {
    return createStage((req) => {
      setScope(req, everything)
      req.references = noReferences
    })
  }
  const check = createAccessCheck(access, loadCaller)
  const { anonymous } = toRule(access)
  return createStage((req, res): StepResult | Promise<StepResult> => {
    req.references = noReferences
    // `hasCredentials` may read a cookie instead of Authorization.
    if (anonymous) {
      res.vary(req.authenticator?.hasCredentials ? 'Authorization, Cookie' : 'Authorization')
    }
    return check(req)
  })
}

// Loads the caller, and sets the scope of the request. A stream does this again while it is open.
export function createAccessCheck(
  access: Access,
  loadCaller: LoadCaller = askAuthenticator,
): (req: ApiRequest) => void | Promise<void> {
  const rule = toRule(access)
  return (req) => {
    const { authenticator } = req
    if (!authenticator) {
      throw new Error(
        `A route with access '${toAccessName(access)}' needs the authentication stage before it: app.use(auth.authentication()).`,
      )
    }
    if (rule.anonymous && !hasCredentials(req, authenticator)) return admit(rule, req)
    const pending = loadCaller(req, authenticator)
    return pending instanceof Promise ? pending.then(() => admit(rule, req)) : admit(rule, req)
  }
}

// Sets the caller of a request, or throws a 401.
export type LoadCaller = (req: ApiRequest, authenticator: Authenticator) => void | Promise<void>

const askAuthenticator: LoadCaller = (req, authenticator) => authenticator(req)

const loading = new WeakMap<object, void | Promise<void>>()

// Loads the caller of an item, an object whose prototype is the whole request: once for all items.
export const loadCallerOnce: LoadCaller = (req, authenticator) => {
  const whole: ApiRequest = Object.getPrototypeOf(req)
  const pending = loadWhole(whole, authenticator)
  const { user, apiKey } = whole
  if (!(pending instanceof Promise)) return void Object.assign(req, { user, apiKey })
  return pending.then(() => void Object.assign(req, { user: whole.user, apiKey: whole.apiKey }))
}

function loadWhole(whole: ApiRequest, authenticator: Authenticator): void | Promise<void> {
  if (loading.has(whole)) return loading.get(whole)
  const pending = authenticator(whole)
  loading.set(whole, pending)
  return pending
}

// The next item loads the caller again.
export function forgetCaller(whole: object): void {
  loading.delete(whole)
}

function hasCredentials(req: ApiRequest, authenticator: Authenticator): boolean {
  return authenticator.hasCredentials?.(req) ?? req.headers.authorization !== undefined
}

function admit(rule: Rule, req: ApiRequest): void | Promise<void> {
  // Where callers are optional, an API key that may not act for its owner has none.
  if (rule.anonymous && !mayAct(rule, req)) req.user = undefined
  const scope = toScope(rule, req.user, req)
  if (scope instanceof Promise) return scope.then((settled) => setOrReject(req, settled))
  setOrReject(req, scope)
}

function setOrReject(req: ApiRequest, scope: Scope | undefined): void {
  if (scope) setScope(req, scope)
  else rejectCaller(req)
}

function rejectCaller(req: ApiRequest): never {
  if (!req.user && !req.apiKey) throw new ApiError('unauthenticated')
  req.authenticator?.onForbidden?.(req)
  throw new ApiError('forbidden')
}

// A 403 that a handler throws, such as that of a document which would be outside the scope, is reported like one of the
// access.
export function reportForbidden(req: ApiRequest, error: unknown): void {
  const isForbidden = error instanceof ApiError && error.status === 403
  if (isForbidden && req.user) req.authenticator?.onForbidden?.(req)
}

// Runs after `requireAccess`: the documents that the caller can refer to.
export function evaluateReferences({ method, references = {} }: Route): Stage[] {
  const stated = Object.entries(references)
  // A list without references refers to nothing.
  if (method === 'get' && stated.length === 0) return []
  const rules = stated.map(([name, access]) => ({ name, rule: toRule(access) }))
  return [
    createStage((req: ApiRequest): void | Promise<void> =>
      whenAll(
        rules,
        ({ rule }) => toScope(rule, req.user, req),
        (scopes) => {
          const entries = rules.map(({ name }, at) => [name, scopes[at] ?? nothing])
          const find: ScopeOf = (access) => toScope(access, req.user, req)
          const own = Object.assign(Object.fromEntries(entries), { [scopeOf]: find })
          req.references = { ...req.references, ...own }
        },
      ),
    ),
  ]
}

// Runs after `requireAccess` and before the body is read.
export function loadDocument({ load, method, params, path }: Route): Stage[] {
  if (!load) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- defineRoute has checked load against the schema
  const query = load as (params: unknown) => PromiseLike<object | null>
  const name = `${method.toUpperCase()} ${path}`
  const parseParams = toParamsParser(params)
  return [
    createStage(async (req: ApiRequest) => {
      const found = query(parseParams(req))
      const nested = found instanceof NestedQuery ? await found.begin() : undefined
      req.document = await findDocument(nested?.query ?? found, req, name)
    }),
  ]
}

async function findDocument(
  found: PromiseLike<object | null>,
  req: ApiRequest,
  name: string,
): Promise<object> {
  const { scope } = req
  if (scope === everything) return requireDocument(await found)
  if (!isQuery(found)) {
    throw new Error(describeLoadFault(name))
  }
  // The database judges: whether a document is inside a filter depends on its types and collation.
  requireKnownFields(found.model, scope)
  const [visible = null, reachable] = await runQueries(found.model, [
    () => found.clone(),
    () => found.clone().and([copyFilter(scope)]),
  ])
  requireDocument(visible)
  return reachable ?? rejectCaller(req)
}

export function describeLoadFault(name: string): string {
  return `The access of ${name} is a filter, so load must return a Mongoose query, without async, await and exec(): load: ({ id }) => PostModel.findById(id).lean().`
}

function requireDocument(document: object | null): object {
  if (!document) throw new ApiError('not_found')
  return document
}

interface Query extends PromiseLike<object | null> {
  readonly model: { readonly modelName: string; readonly schema: Schema; readonly db: object }
  clone(): Query
  and(filters: readonly object[]): Query
}

function isQuery(found: PromiseLike<object | null>): found is Query {
  return 'clone' in found && 'and' in found && 'model' in found
}
