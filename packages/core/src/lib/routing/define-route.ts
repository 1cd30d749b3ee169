import { type Response } from 'express'
import { type output, type ZodType } from 'zod'
import { type ApiRequest, type UserRequest } from './request.ts'
import { type Access, type Route } from './route.ts'

/** The definition of one route, with the request of its handler typed from the schemas. */
export type RouteDefinition<
  A extends Access = Access,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
> = Omit<Route, 'access' | 'params' | 'query' | 'body' | 'handler'> & {
  readonly access: A
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly handler: (req: RequestOf<A, P, Q, B>, res: Response) => void | Promise<void>
}

type Parsed<S> = S extends ZodType ? output<S> : undefined

type RequestOf<A, P, Q, B> = A extends 'public'
  ? ApiRequest<{ params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }>
  : UserRequest<{ params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }>

/**
 * Describes one route; returns it unchanged, typed.
 * @param route - method, path, access, schemas and controller
 * @returns the route
 */
export function defineRoute<
  A extends Access,
  P extends ZodType | undefined = undefined,
  Q extends ZodType | undefined = undefined,
  B extends ZodType | undefined = undefined,
>(route: RouteDefinition<A, P, Q, B>): Route {
  return route
}
