import { type Request, type RequestHandler, type Response } from 'express'
import { type BodyParserOptions } from '../http/body-parser.ts'
import { type IndexedModel } from '../schemas/schema-marks.ts'
import { type Access, isFilterByForm } from '../access/access.ts'
import { type User } from '../access/caller.ts'
import { noteReaders } from '../access/readers.ts'
import { type CallerOf, type Parsed, type Schema } from '../route/define-route.ts'
import { type Envelope } from '../response/envelope.ts'
import { toDeprecationNotice } from '../route/deprecation.ts'
import { type OpenRoute, type Route, toResponses } from '../route/route.ts'
import { del, get, patch, post, put, type RouteMethods } from '../route/route-methods.ts'
import { findLists, requireJson, requireText } from '../schemas/require-sendable.ts'
import { type Stage } from '../stage/stage.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'
import { createDispatcher } from './dispatch.ts'
import { compileEndpoint } from './endpoint.ts'
import { describeLoadFault } from './require-access.ts'

/** Options for {@link createRouter}. The first seven apply to routes that do not state their own. */
export interface RouterOptions<
  A extends Access | undefined = Access | undefined,
  P extends Schema = Schema,
> {
  /**
   * Who may call the routes that do not state their access.
   * @default undefined, each route must state it
   */
  access?: A
  /**
   * Who can refer to the documents in a field of the body, on the routes that do not state their references.
   * @default {}
   */
  references?: Route['references']
  /**
   * Path parameters of the routes that do not state theirs and whose path has a parameter.
   * @default undefined
   */
  params?: P
  /**
   * Ordinary Express middleware of the routes that do not state theirs.
   * @default []
   */
  before?: Route['before']
  /**
   * Error codes of the routes that do not state theirs.
   * @default []
   */
  errors?: Route['errors']
  /**
   * Replaces the envelope of the API around `data` and `meta` of the routes that do not state theirs.
   * @default the envelope of the API
   */
  envelope?: Envelope | undefined
  /**
   * Deprecates the routes that do not state `deprecated`.
   * @default false
   */
  deprecated?: Route['deprecated']
  /**
   * Name of the group in the OpenAPI document.
   * @default the last literal segment of the prefix
   */
  tag?: string | undefined
  /**
   * The Mongoose model of the list. When the API starts, it logs a warning for each field that the
   * list can filter or sort by and that has no index in the model.
   * @default undefined, no check
   */
  model?: IndexedModel | undefined
  /**
   * Limits of request bodies when the router is used as plain Express middleware; inside `createApi`
   * the limits of the API apply.
   * @default the defaults of the body parser
   */
  body?: BodyParserOptions | undefined
}

/**
 * A group of routes, mounted with `registry.use`. It is also an ordinary Express middleware:
 * `app.use('/api/posts', postsRouter)`.
 */
export interface Router extends RequestHandler {
  /** The routes, completed by the options of the router. */
  readonly routes: readonly Route[]
  /** Name of the group of the routes in the OpenAPI document. */
  readonly tag: string | undefined
  /** The model whose indexes are compared with the filters and the order of the lists. */
  readonly model?: IndexedModel | undefined
  /** Limits of request bodies as plain Express middleware. */
  readonly body?: BodyParserOptions | undefined
}

type RoutesOf<A, P> = readonly (Route | OpenRoute<Given<A, P>>)[]

// The defaults that a router provides for its routes.
type Given<A, P> = ([A] extends [undefined] ? unknown : { access: A; user: CallerOf<A> }) & {
  params: Parsed<P>
}

/**
 * Creates a router from routes. An option of a route takes precedence over that of the router.
 * @param routes - routes created by `get`, `post`, `put`, `patch`, `del` or `defineRoute`; or a function
 * that receives these methods with the caller and the params of the options in the types of their handlers
 * @param options - defaults of the routes, tag, model and body limits
 * @returns the router
 * @throws TypeError when a route has no access, no handler, a path that is not valid, an async `load` with a filter
 * as access, a schema of values that a request or response cannot contain, or a deprecation with a date or link that is not
 * valid or a sunset before its beginning
 * @example
 * ```ts
 * export const articlesRouter = createRouter(
 *   [
 *     get('/', { query: listArticles, response: article.array(), meta: listMeta }, articles.list),
 *     post('/', { access: 'user', body: createArticle, response: article, status: 201 }, articles.create),
 *     del('/:slug', { access: 'user' }, articles.remove),
 *   ],
 *   { access: 'public', params: slugParams },
 * )
 * ```
 */
export function createRouter<
  A extends Access | undefined = undefined,
  P extends Schema = undefined,
>(
  routes:
    | RoutesOf<NoInfer<A>, NoInfer<P>>
    | ((
        methods: RouteMethods<CallerOf<A, User | undefined>, Parsed<P>>,
      ) => RoutesOf<NoInfer<A>, NoInfer<P>>),
  options: RouterOptions<A, P> = {},
): Router {
  const defined = typeof routes === 'function' ? routes(toMethods()) : routes
  const complete = defined
    .map((route) => toComplete(route, options))
    .flatMap((route) => withChanges(route, options))
  let dispatcher: Stage | undefined
  const middleware: RequestHandler = (req: Request, res: Response, next) => {
    // Compiled at the first request: a router in a registry is never called directly.
    dispatcher ??= createDispatcher(
      complete.map((route) =>
        compileEndpoint(route, {
          prefix: '',
          paths: complete.map(({ path }) => path),
          body: options.body,
        }),
      ),
    )
    dispatcher(req, res, next)
  }
  const { body, model, tag } = options
  if (model) noteReaders(model, complete)
  return Object.assign(middleware, { routes: complete, tag, model, body })
}

// The types of the handlers depend on the router; the functions do not.
function toMethods<Caller, Params>(): RouteMethods<Caller, Params> {
  const methods: unknown = { get, post, put, patch, del }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `toComplete` adds what the types promise
  return methods as RouteMethods<Caller, Params>
}

function toComplete(route: Route | OpenRoute, defaults: Omit<RouterOptions, 'model'>): Route {
  const hasParameter = typeof route.path === 'string' && route.path.includes(':')
  const complete = {
    ...route,
    access: route.access ?? defaults.access,
    references: route.references ?? defaults.references,
    params: route.params ?? (hasParameter ? defaults.params : undefined),
    before: route.before ?? defaults.before,
    errors: route.errors ?? defaults.errors,
    envelope: route.envelope ?? defaults.envelope,
    deprecated: route.deprecated ?? defaults.deprecated,
  }
  requireComplete(complete)
  return complete
}

// The changes of a live list are another route.
function withChanges(route: Route, { model }: RouterOptions): Route[] {
  const { live, ...list } = route
  return live ? [list, toComplete(live.toRoute(list, model), {})] : [route]
}

function requireComplete(
  route: Omit<Route, 'access'> & Pick<OpenRoute, 'access'>,
): asserts route is Route {
  const name = `${route.method?.toUpperCase()} ${route.path}`
  // Plain JavaScript has no compiler that checks these.
  if (!route.access) {
    throw new TypeError(
      `The route ${name} has no access. Add access: 'public', 'user', 'owner', a role or a rule, to it or to its router.`,
    )
  }
  if (!isAccess(route.access)) {
    throw new TypeError(
      `The access of ${name} is not a word or a rule. Define it with defineRule('editors', (user) => ({ editors: user.id })).`,
    )
  }
  if (typeof route.handler !== 'function') {
    throw new TypeError(`The route ${name} has no handler.`)
  }
  if (isAsync(route.load) && isFilterByForm(route.access)) {
    throw new TypeError(describeLoadFault(name))
  }
  if (route.status !== undefined && toResponses(route).get(route.status) !== route.response) {
    throw new TypeError(
      `The route ${name} has a status and a response by status. Leave out status: ${route.status}.`,
    )
  }
  if (!/^\/$|^(\/(:[A-Za-z_]\w*|[\w.~-]+))+$/.test(route.path)) {
    throw new TypeError(
      `The path of ${name} is not valid. Use literal segments and parameters: '/:id/publish'.`,
    )
  }
  toDeprecationNotice(route.deprecated, name)
  requireSendable(route, name)
}

function requireSendable(
  route: Pick<Route, 'body' | 'meta' | 'method' | 'params' | 'query' | 'response' | 'status'>,
  name: string,
): void {
  const { body, meta, params, query } = route
  if (params) {
    requireText(params, `the path of ${name}`)
    const [list] = findLists(params)
    if (list !== undefined) {
      throw new TypeError(
        `'${list}' of the path of ${name} is z.array(), but a path contains a parameter once. Use the schema of one value.`,
      )
    }
  }
  if (query) requireText(query, `the query of ${name}`)
  if (body && toMultipartPlan(body)) requireText(body, `the body of ${name}`)
  else if (body) requireJson(body, 'input', `The body of ${name}`)
  for (const [status, response] of toResponses(route)) {
    if (response) requireJson(response, 'output', `The response ${status} of ${name}`)
  }
  if (meta) requireJson(meta, 'output', `The meta of ${name}`)
}

// An async function returns the result of a query, to which no filter can be added.
function isAsync(load: Route['load']): boolean {
  return load?.constructor.name === 'AsyncFunction'
}

function isAccess(access: unknown): access is Access {
  return (
    typeof access === 'string' ||
    (typeof access === 'object' && access !== null && 'decide' in access)
  )
}
