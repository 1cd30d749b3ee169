import { type output, type ZodType } from 'zod'
import { type Access } from '../access/access.ts'
import { type User } from '../access/caller.ts'
import {
  type CallerOf,
  type Handler,
  type LoadingHandler,
  type LoadingOptions,
  type RequestOf,
  type ResponseOf,
  type RouteOptions,
  type Schema,
} from './define-route.ts'
import { type Method, type OpenRoute, type ResponsesByStatus, type Route } from './route.ts'

// The params of the router apply to paths with a parameter.
type ParamsOf<Path, P, Open> = P extends ZodType
  ? output<P>
  : Path extends `${string}:${string}`
    ? Open
    : undefined

type Needs<A, P, Caller, Params> = ([A] extends [undefined]
  ? { access: Access; user: Caller }
  : unknown) &
  (P extends ZodType ? unknown : NeedsParams<Params>)

// A handler that does not say what params it reads may get any.
type NeedsParams<Params> = [Params] extends [undefined]
  ? unknown
  : unknown extends Params
    ? unknown
    : { params: Params }

type Completed<Need> = unknown extends Need ? Route : OpenRoute<Need>

/**
 * Defines a route of one method. What the route leaves out, its router provides: then `req.user` and
 * `req.valid.params` have the types that the handler declares, and `createRouter` checks them.
 */
export interface RouteMethod<RouterCaller = User | undefined, RouterParams = undefined> {
  /**
   * Defines a route that loads the document it is about.
   * @param path - path below the mount: literal segments and `:name` parameters
   * @param options - `load`, access, schemas and other options of a {@link Route}
   * @param handler - the controller; `req.document` is the document
   * @returns the route
   */
  <
    D extends object,
    const Path extends string,
    P extends Schema = undefined,
    Q extends Schema = undefined,
    B extends Schema = undefined,
    R extends Schema | ResponsesByStatus = undefined,
    M extends Schema = undefined,
    A extends Access | undefined = undefined,
    Caller = RouterCaller,
    Params = RouterParams,
  >(
    path: Path,
    options: LoadingOptions<D, A, P, Q, B, R, M, ParamsOf<Path, P, Params>>,
    handler: LoadingHandler<
      D,
      CallerOf<A, Caller>,
      ParamsOf<Path, P, NoInfer<Params>>,
      Q,
      B,
      NoInfer<R>
    >,
  ): Completed<Needs<A, P, NoInfer<Caller>, NoInfer<Params>>>
  /**
   * Defines a route without options.
   * @param path - path below the mount: literal segments and `:name` parameters
   * @param handler - the controller, which ends with `success(res, data)`
   * @returns the route; its access is that of the router
   */
  <const Path extends string, Caller = RouterCaller, Params = RouterParams>(
    path: Path,
    handler: Handler<
      RequestOf<Caller, ParamsOf<Path, undefined, Params>, undefined, undefined>,
      ResponseOf<undefined>
    >,
  ): Completed<Needs<undefined, undefined, NoInfer<Caller>, NoInfer<Params>>>
  // The last one, because the compiler explains mistakes by the last.
  /**
   * Defines a route with options.
   * @param path - path below the mount: literal segments and `:name` parameters
   * @param options - access, schemas and other options of a {@link Route}
   * @param handler - the controller, which ends with `success(res, data)`
   * @returns the route
   */
  <
    const Path extends string,
    P extends Schema = undefined,
    Q extends Schema = undefined,
    B extends Schema = undefined,
    R extends Schema | ResponsesByStatus = undefined,
    M extends Schema = undefined,
    A extends Access | undefined = undefined,
    Caller = RouterCaller,
    Params = RouterParams,
  >(
    path: Path,
    options: RouteOptions<A, P, Q, B, R, M>,
    handler: Handler<
      RequestOf<CallerOf<A, Caller>, ParamsOf<Path, P, Params>, Q, B>,
      ResponseOf<NoInfer<R>>
    >,
  ): Completed<Needs<A, P, NoInfer<Caller>, NoInfer<Params>>>
}

/** One function for each method, typed by the defaults of a router. */
export interface RouteMethods<RouterCaller = User | undefined, RouterParams = undefined> {
  /** Defines a GET route, which also serves HEAD. */
  readonly get: RouteMethod<RouterCaller, RouterParams>
  /** Defines a POST route. */
  readonly post: RouteMethod<RouterCaller, RouterParams>
  /** Defines a PUT route. */
  readonly put: RouteMethod<RouterCaller, RouterParams>
  /** Defines a PATCH route. */
  readonly patch: RouteMethod<RouterCaller, RouterParams>
  /** Defines a DELETE route; `delete` is a reserved word. */
  readonly del: RouteMethod<RouterCaller, RouterParams>
}

/**
 * Defines a GET route: `get('/:slug', { params, response: article }, show)`.
 * @example
 * ```ts
 * get('/:slug', { access: 'public', params: slugParams, response: article }, async (req, res) => {
 *   success(res, requireFound(await ArticleModel.findOne(req.valid.params).lean()))
 * })
 * ```
 */
export const get: RouteMethod = toMethod('get')

/** Defines a POST route: `post('/', { body: createArticle, response: article, status: 201 }, create)`. */
export const post: RouteMethod = toMethod('post')

/** Defines a PUT route: `put('/:slug', { params, body: article, response: article }, replace)`. */
export const put: RouteMethod = toMethod('put')

/** Defines a PATCH route: `patch('/:slug', { params, body: changes, response: article }, change)`. */
export const patch: RouteMethod = toMethod('patch')

/** Defines a DELETE route: `del('/:slug', { params }, remove)`; `delete` is a reserved word. */
export const del: RouteMethod = toMethod('delete')

type AnyHandler = Route['handler']

type AnyOptions = Omit<OpenRoute, 'method' | 'path' | 'handler'>

function toMethod(method: Method): RouteMethod {
  const define: unknown = (
    path: string,
    ...rest: [AnyOptions, AnyHandler] | [AnyHandler]
  ): OpenRoute => {
    const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest
    return { ...options, method, path, handler }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the overloads state what the options allow
  return define as RouteMethod
}
