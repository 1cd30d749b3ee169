import { defineRoute } from '../routing/define-route.ts'
import { type Route } from '../routing/route.ts'
import { type AuthController } from './auth-controller.ts'
import { type LimitStages } from './auth-limits.ts'
import { type AuthSchemas } from './auth-schemas.ts'
import { type AuthSettings } from './auth-settings.ts'
import { createMailRoutes, createPasswordRoutes } from './password-routes.ts'

/** What the routes are made of. */
export interface AuthRouteParts {
  /** The controllers. */
  controller: AuthController
  /** The schemas. */
  schemas: AuthSchemas
  /** The limits of each endpoint. */
  limits: LimitStages
  /** How refresh tokens travel, what registration answers, whether mails are sent. */
  settings: Pick<AuthSettings, 'transport' | 'hideRegistered' | 'mail'>
}

/**
 * Describes the authentication routes, each with its own limit.
 * @param parts - controllers, schemas, limits and settings
 * @returns the routes
 */
export function createAuthRoutes(parts: AuthRouteParts): Route[] {
  return [
    ...createAccountRoutes(parts),
    ...createTokenRoutes(parts),
    ...createSessionRoutes(parts),
    ...createPasswordRoutes(parts),
    ...(parts.settings.mail ? createMailRoutes(parts) : []),
  ]
}

function createAccountRoutes({ controller, schemas, limits, settings }: AuthRouteParts): Route[] {
  const { hideRegistered } = settings
  return [
    defineRoute({
      method: 'post',
      path: '/register',
      access: 'public',
      summary: 'Register',
      operationId: 'register',
      before: limits('register'),
      body: schemas.register,
      response: hideRegistered ? schemas.pending : schemas.grant,
      status: hideRegistered ? 202 : 201,
      errors: [
        ...(hideRegistered ? [] : (['email_taken'] as const)),
        'password_too_common',
        'rate_limited',
        'overloaded',
      ],
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

function createTokenRoutes({ controller, schemas, limits, settings }: AuthRouteParts): Route[] {
  const { inBody, guards } = settings.transport
  return [
    defineRoute({
      method: 'post',
      path: '/refresh-token',
      access: 'public',
      summary: 'Trade a refresh token for new tokens',
      operationId: 'refreshToken',
      before: [...limits('refresh'), ...guards],
      body: inBody ? schemas.refresh : undefined,
      response: schemas.grant,
      errors: [
        'invalid_token',
        'session_revoked',
        'refresh_token_expired',
        'refresh_token_reused',
        'refresh_conflict',
        'rate_limited',
        ...(inBody ? [] : (['forbidden'] as const)),
      ],
      handler: controller.refresh,
    }),
    defineRoute({
      method: 'post',
      path: '/logout',
      access: 'public',
      summary: 'End the session of a refresh token',
      operationId: 'logout',
      before: [...limits('logout'), ...guards],
      body: inBody ? schemas.refresh : undefined,
      errors: ['rate_limited', ...(inBody ? [] : (['forbidden'] as const))],
      handler: controller.logout,
    }),
  ]
}

function createSessionRoutes({ controller, schemas, limits }: AuthRouteParts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/logout-all',
      access: 'user',
      summary: 'End every session of the caller',
      operationId: 'logoutAll',
      before: limits('logoutAll'),
      errors: ['rate_limited'],
      handler: controller.logoutAll,
    }),
    defineRoute({
      method: 'get',
      path: '/sessions',
      access: 'user',
      summary: 'List the sessions of the caller',
      operationId: 'listSessions',
      before: limits('sessions'),
      response: schemas.sessions,
      errors: ['rate_limited'],
      handler: controller.listSessions,
    }),
    defineRoute({
      method: 'delete',
      path: '/sessions/:id',
      access: 'user',
      summary: 'End one session of the caller',
      operationId: 'revokeSession',
      before: limits('sessions'),
      params: schemas.sessionParams,
      errors: ['rate_limited'],
      handler: controller.revokeSession,
    }),
  ]
}
