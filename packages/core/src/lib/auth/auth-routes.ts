import { type Route } from '../routing/route.ts'
import { defineRoute } from '../routing/define-route.ts'
import { type AuthController } from './auth-controller.ts'
import { type LimitStages } from './auth-limits.ts'
import { type AuthSchemas } from './auth-schemas.ts'

/** What the routes are made of. */
export interface AuthRouteParts {
  /** The controllers. */
  controller: AuthController
  /** The schemas. */
  schemas: AuthSchemas
  /** The limits of each endpoint. */
  limits: LimitStages
}

/**
 * Describes the authentication routes, each with its own limit.
 * @param parts - controllers, schemas and limits
 * @returns the routes
 */
export function createAuthRoutes(parts: AuthRouteParts): Route[] {
  return [...createAccountRoutes(parts), ...createSessionRoutes(parts)]
}

function createAccountRoutes({ controller, schemas, limits }: AuthRouteParts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/register',
      access: 'public',
      summary: 'Register',
      operationId: 'register',
      before: limits('register'),
      body: schemas.register,
      response: schemas.grant,
      status: 201,
      errors: ['email_taken', 'password_too_common', 'rate_limited', 'overloaded'],
      handler: controller.register,
    }),
    defineRoute({
      method: 'post',
      path: '/login',
      access: 'public',
      summary: 'Log in',
      operationId: 'login',
      before: limits('login'),
      body: schemas.login,
      response: schemas.grant,
      errors: ['invalid_credentials', 'rate_limited', 'overloaded'],
      handler: controller.login,
    }),
    defineRoute({
      method: 'get',
      path: '/me',
      access: 'user',
      summary: 'Who is logged in',
      operationId: 'me',
      before: limits('me'),
      response: schemas.user,
      errors: ['rate_limited'],
      handler: controller.me,
    }),
  ]
}

function createSessionRoutes({ controller, schemas, limits }: AuthRouteParts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/refresh-token',
      access: 'public',
      summary: 'Trade a refresh token for new tokens',
      operationId: 'refreshToken',
      before: [controller.noteArrival, ...limits('refresh')],
      body: schemas.refresh,
      response: schemas.grant,
      errors: [
        'invalid_token',
        'session_revoked',
        'refresh_token_expired',
        'refresh_token_reused',
        'refresh_conflict',
        'rate_limited',
      ],
      handler: controller.refresh,
    }),
  ]
}
