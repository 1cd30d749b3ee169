import { type Response } from 'express'
import { type output, type ZodType } from 'zod'
import { type ApiRequest, type UserRequest } from './request.ts'
import { type Access, type AccessRule } from './access.ts'
import { type Route } from './route.ts'

/** The definition of one route, with the request of its handler typed from the schemas. */
export type RouteDefinition<
  A extends Access = Access,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
> = Omit<Route, 'access' | 'load' | 'params' | 'query' | 'body' | 'handler'> & {
  readonly access: A
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly handler: (req: RequestOf<A, P, Q, B>, res: Response) => void | Promise<void>
}

/** The definition of a route whose access is a rule on a document of type `D`. */
export type RuledRouteDefinition<
  D extends object,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
> = Omit<RouteDefinition<AccessRule<D>, P, Q, B>, 'handler'> & {
  readonly load: (params: Parsed<P>) => PromiseLike<D | null>
  readonly handler: (
    req: RequestOf<AccessRule, P, Q, B> & { document: D },
    res: Response,
  ) => void | Promise<void>
}

type Word = Exclude<Access, AccessRule>

type Parsed<S> = S extends ZodType ? output<S> : undefined

type RequestOf<A, P, Q, B> = A extends 'public'
  ? ApiRequest<{ params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }>
  : UserRequest<{ params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }>

/**
 * Defines one route: returns it unchanged, with the request of its handler typed from the schemas. If
 * `access` is a rule, `load` must be written before it, because it determines the type of the document.
 * @param route - method, path, access, schemas and controller
 * @returns the route
 */
export function defineRoute<
  A extends Word,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
>(route: RouteDefinition<A, P, Q, B>): Route
export function defineRoute<
  D extends object,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
>(route: RuledRouteDefinition<D, P, Q, B>): Route
export function defineRoute(route: Route): Route {
  return route
}
