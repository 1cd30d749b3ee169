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

export function limit({ addressLimits }: AuthContext, name: LimitName): RequestHandler[] {
  return addressLimits.stages(name)
}

export function toFacts({ settings }: AuthContext, req: Request): RequestFacts {
  return toRequestFacts(req, settings.now())
}

export function toCaller({ user, sessionId }: UserRequest): SessionCaller {
  return { userId: user.id, sessionId }
}
