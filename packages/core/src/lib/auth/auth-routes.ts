import { type Request, type Response } from 'express'
import { defineRoute } from '../kernel/define-route.ts'
import { type UserRequest } from '../kernel/request.ts'
import { type Route } from '../kernel/route.ts'
import { success } from '../kernel/success.ts'
import {
  login,
  register,
  registerHidden,
  resendVerification,
  verifyEmail,
} from './account-service.ts'
import { type AuthContext } from './auth-context.ts'
import { type LimitStages } from './auth-limits.ts'
import { type AuthSchemas } from './auth-schemas.ts'
import { type JsonWebKeySet } from './keys.ts'
import { changePassword, forgotPassword, resetPassword } from './password-service.ts'
import { type RequestFacts, toRequestFacts } from './request-facts.ts'
import {
  listSessions,
  logout,
  logoutAll,
  refresh,
  revokeSession,
  type SessionCaller,
} from './session-service.ts'
import { toUserView } from './user-view.ts'

type CreateRoutes = (context: AuthContext, schemas: AuthSchemas, limits: LimitStages) => Route[]

// The authentication routes, each with its own limit.
export const createAuthRoutes: CreateRoutes = (context, schemas, limits) => [
  ...createAccountRoutes(context, schemas, limits),
  ...createTokenRoutes(context, schemas, limits),
  ...createSessionRoutes(context, schemas, limits),
  ...createPasswordRoutes(context, schemas, limits),
  ...(context.settings.mail ? createMailRoutes(context, schemas, limits) : []),
]

const createAccountRoutes: CreateRoutes = (context, schemas, limits) => {
  const { hideRegistered, transport } = context.settings
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
      async handler(req, res) {
        const { email, password, ...fields } = req.valid.body
        const input = { email, password, fields }
        if (hideRegistered) {
          await registerHidden(context, input, toFacts(context, req))
          success(res.status(202), { status: 'pending' })
          return
        }
        const grant = await register(context, input, toFacts(context, req))
        success(res.status(201), transport.write(res, grant))
      },
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
      async handler(req, res) {
        const grant = await login(context, req.valid.body, toFacts(context, req))
        success(res, transport.write(res, grant))
      },
    }),
  ]
}

const createTokenRoutes: CreateRoutes = (context, schemas, limits) => {
  const { stateless, transport } = context.settings
  const { inBody, guards } = transport
  return [
    defineRoute({
      method: 'get',
      path: '/me',
      access: 'user',
      summary: 'Show the current user',
      operationId: 'me',
      before: limits('me'),
      response: schemas.user,
      errors: ['rate_limited'],
      async handler(req, res) {
        // Without `stateless` the user has just been loaded for this request.
        const user = stateless ? await context.users.findById(req.user.id) : undefined
        success(res, user ? toUserView(user) : req.user)
      },
    }),
    defineRoute({
      method: 'post',
      path: '/refresh-token',
      access: 'public',
      summary: 'Exchange a refresh token for new tokens',
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
      async handler(req, res) {
        const grant = await refresh(context, transport.read(req), toFacts(context, req))
        success(res, transport.write(res, grant))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/logout',
      access: 'public',
      summary: 'Log out of the session of a refresh token',
      operationId: 'logout',
      before: [...limits('logout'), ...guards],
      body: inBody ? schemas.refresh : undefined,
      errors: ['rate_limited', ...(inBody ? [] : (['forbidden'] as const))],
      async handler(req, res) {
        await logout(context, transport.read(req), toFacts(context, req))
        transport.clear(res)
        success(res)
      },
    }),
  ]
}

const createSessionRoutes: CreateRoutes = (context, schemas, limits) => [
  defineRoute({
    method: 'post',
    path: '/logout-all',
    access: 'user',
    summary: 'Log out of every session of the current user',
    operationId: 'logoutAll',
    before: limits('logoutAll'),
    errors: ['rate_limited'],
    async handler(req, res) {
      await logoutAll(context, toCaller(req), toFacts(context, req))
      context.settings.transport.clear(res)
      success(res)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/sessions',
    access: 'user',
    summary: 'List the sessions of the current user',
    operationId: 'listSessions',
    before: limits('sessions'),
    response: schemas.sessions,
    errors: ['rate_limited'],
    async handler(req, res) {
      success(res, await listSessions(context, toCaller(req)))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/sessions/:id',
    access: 'user',
    summary: 'Revoke one session of the current user',
    operationId: 'revokeSession',
    before: limits('sessions'),
    params: schemas.sessionParams,
    errors: ['rate_limited'],
    async handler(req, res) {
      const session = { userId: req.user.id, sessionId: req.valid.params.id }
      await revokeSession(context, session, toFacts(context, req))
      success(res)
    },
  }),
]

const createPasswordRoutes: CreateRoutes = (context, schemas, limits) => [
  defineRoute({
    method: 'post',
    path: '/change-password',
    access: 'user',
    summary: 'Change the password and revoke all other sessions',
    operationId: 'changePassword',
    before: limits('changePassword'),
    body: schemas.changePassword,
    errors: ['invalid_credentials', 'password_too_common', 'rate_limited', 'overloaded'],
    async handler(req, res) {
      const caller = { ...toCaller(req), email: req.user.email }
      await changePassword(context, req.valid.body, caller, toFacts(context, req))
      success(res)
    },
  }),
]

const createMailRoutes: CreateRoutes = (context, schemas, limits) => [
  defineRoute({
    method: 'post',
    path: '/forgot-password',
    access: 'public',
    summary: 'Request a link that sets a new password',
    operationId: 'forgotPassword',
    before: limits('forgotPassword'),
    body: schemas.email,
    errors: ['rate_limited'],
    handler(req, res) {
      forgotPassword(context, req.valid.body.email, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/reset-password',
    access: 'public',
    summary: 'Set a new password with the token of a link',
    operationId: 'resetPassword',
    before: limits('resetPassword'),
    body: schemas.resetPassword,
    errors: ['invalid_token', 'password_too_common', 'rate_limited', 'overloaded'],
    async handler(req, res) {
      await resetPassword(context, req.valid.body, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/verify-email',
    access: 'public',
    summary: 'Verify an e-mail address with the token of a link',
    operationId: 'verifyEmail',
    before: limits('verifyEmail'),
    body: schemas.verifyEmail,
    errors: ['invalid_token', 'rate_limited'],
    async handler(req, res) {
      await verifyEmail(context, req.valid.body.token, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/resend-verification',
    access: 'public',
    summary: 'Request another link that verifies an e-mail address',
    operationId: 'resendVerification',
    before: limits('resendVerification'),
    body: schemas.email,
    errors: ['rate_limited'],
    handler(req, res) {
      resendVerification(context, req.valid.body.email)
      success(res)
    },
  }),
]

function toFacts({ settings }: AuthContext, req: Request): RequestFacts {
  return toRequestFacts(req, settings.now())
}

function toCaller(req: UserRequest): SessionCaller {
  return { userId: req.user.id, sessionId: req.sessionId ?? '' }
}

// Serves the public keys of access tokens (RFC 7517), without an envelope; mounted at `/.well-known`.
export function createJwksRoute(jwks: JsonWebKeySet): Route {
  const body = JSON.stringify(jwks)
  const handler = (_req: Request, res: Response): void => {
    res.setHeader('Content-Type', 'application/jwk-set+json; charset=utf-8')
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.end(body)
  }
  return defineRoute({ method: 'get', path: '/jwks.json', access: 'public', handler })
}
