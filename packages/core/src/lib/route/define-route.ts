import { type Response } from 'express'
import { type output, type ZodType } from 'zod'
import { type Access, type OpenOf } from '../access/access.ts'
import { type User } from '../access/caller.ts'
import { type Envelope, type Members } from '../response/envelope.ts'
import { type ApiResponse } from '../response/sendable.ts'
import { type ApiRequest } from './request.ts'
import { type ResponsesByStatus, type Route } from './route.ts'

export type Schema = ZodType | undefined

// The output of a schema; undefined without one.
export type Parsed<S> = S extends ZodType ? output<S> : undefined

// The caller on a route with access `A`, or `Open` if the route does not state it.
export type CallerOf<A, Open = never> = [A] extends [undefined]
  ? Open
  : true extends OpenOf<A>
    ? User | undefined
    : User

export type RequestOf<Caller, Params, Q, B> = ApiRequest<{
  params: Params
  query: Parsed<Q>
  body: Parsed<B>
}> & { user: Caller }

export type Handler<Req, Res = Response> = (req: Req, res: Res) => void | Promise<void>

// The response of a route with the schema `R`.
export type ResponseOf<R> = ApiResponse<DataOf<R>>

type DataOf<R> = R extends ZodType
  ? output<R>
  : R extends ResponsesByStatus
    ? Parsed<R[keyof R]>
    : undefined

type Stated = 'access' | 'load' | 'params' | 'query' | 'body' | 'response' | 'meta' | 'envelope'

/** The options of a route besides method, path and handler. */
export interface RouteOptions<A, P, Q, B, R, M> extends Omit<
  Route,
  'method' | 'path' | 'handler' | Stated
> {
  readonly access?: A
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly response?: R
  readonly meta?: M
  readonly envelope?: Envelope<Members<DataOf<R>>, Members<Parsed<M>>> | undefined
}

/** The same for a route that loads a document of type `D`. */
export interface LoadingOptions<D, A, P, Q, B, R, M, Params = Parsed<P>> extends RouteOptions<
  A,
  P,
  Q,
  B,
  R,
  M
> {
  readonly load: (params: Params) => PromiseLike<D | null>
}

export type LoadingHandler<D, Caller, Params, Q, B, R> = Handler<
  RequestOf<Caller, Params, Q, B> & { document: D },
  ResponseOf<R>
>

interface Place {
  readonly method: Route['method']
  readonly path: string
}

/**
 * Defines one route: returns it unchanged, with the request of its handler typed from the schemas.
 * `get`, `post`, `put`, `patch` and `del` are shorter.
 * @param route - method, path, access, schemas and controller
 * @returns the route
 */
export function defineRoute<
  A extends Access,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema | ResponsesByStatus = undefined,
  M extends Schema = undefined,
>(
  route: Place &
    RouteOptions<A, P, Q, B, R, M> & {
      readonly access: A
      readonly handler: Handler<RequestOf<CallerOf<A>, Parsed<P>, Q, B>, ResponseOf<NoInfer<R>>>
    },
): Route
export function defineRoute<
  D extends object,
  A extends Access,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema | ResponsesByStatus = undefined,
  M extends Schema = undefined,
>(
  route: Place &
    LoadingOptions<D, A, P, Q, B, R, M> & {
      readonly access: A
      readonly handler: LoadingHandler<D, CallerOf<A>, Parsed<P>, Q, B, NoInfer<R>>
    },
): Route
export function defineRoute(route: Route): Route {
  return route
}
