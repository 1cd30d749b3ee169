import { type Request, type RequestHandler } from 'express'
import { type UserRequest } from '../../route/request.ts'
import { type Route } from '../../route/route.ts'
import { type AuthContext } from '../service/auth-context.ts'
import { type LimitName } from '../limits/limit-options.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { type RequestFacts, toRequestFacts } from '../events/request-facts.ts'
import { type SessionCaller } from '../sessions/session-service.ts'

// What the authentication routes share.

export type CreateRoutes = (context: AuthContext, schemas: RouteSchemas) => Route[]

// The limit of a route, with its error beside the others of the route.
export function limited(
  { addressLimits }: AuthContext,
  name: LimitName,
  errors: NonNullable<Route['errors']> = [],
  guards: readonly RequestHandler[] = [],
): Pick<Route, 'before' | 'errors'> {
  return {
    before: [...addressLimits.stages(name), ...guards],
    errors: [...errors, 'rate_limited'],
  }
}

export function toFacts({ settings }: AuthContext, req: Request): RequestFacts {
  return toRequestFacts(req, settings.now())
}

export function toCaller({ user, sessionId }: UserRequest): SessionCaller {
  return { userId: user.id, sessionId }
}
