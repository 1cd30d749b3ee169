import { type Request, type RequestHandler, type Response } from 'express'
import { defineRoute } from '../kernel/define-route.ts'
import { type UserRequest } from '../kernel/request.ts'
import { type Route } from '../kernel/route.ts'
import { success } from '../kernel/success.ts'
import { closeToApiKeys, createApiKeyRoutes } from './api-key-routes.ts'
import {
  login,
  register,
  registerHidden,
  resendVerification,
  verifyEmail,
} from './account-service.ts'
import { type AuthContext } from './auth-context.ts'
import { changeEmail, confirmEmail } from './email-service.ts'
import { toTakenCode } from './identifier.ts'
import { type LimitName } from './auth-options.ts'
import { type RouteSchemas } from './auth-schemas.ts'
import { type JsonWebKeySet } from './keys.ts'
import { changePassword, forgotPassword, resetPassword } from './password-service.ts'
import { type RequestFacts, toRequestFacts } from './request-facts.ts'
import {
  listSessions,
  logout,
  refresh,
  revokeSession,
  revokeSessions,
  type SessionCaller,
} from './session-service.ts'
import { updateOwnFields } from './user-service.ts'

type CreateRoutes = (context: AuthContext, schemas: RouteSchemas) => Route[]

// The authentication routes, each with its own limit.
export const createAuthRoutes: CreateRoutes = (context, schemas) =>
  [
    ...createAccountRoutes(context, schemas),
    ...createTokenRoutes(context, schemas),
    ...(hasOwnInput(context) ? createProfileRoutes(context, schemas) : []),
    ...createSessionRoutes(context, schemas),
    ...createPasswordRoutes(context, schemas),
    ...(context.settings.mail ? createMailRoutes(context, schemas) : []),
    ...(context.settings.mail ? createEmailRoutes(context, schemas) : []),
    ...(context.apiKeys ? createApiKeyRoutes(context, schemas) : []),
  ].map(closeToApiKeys)

const createAccountRoutes: CreateRoutes = (context, schemas) => {
  const { hideRegistered, identifier, transport } = context.settings
  return [
    defineRoute({
      method: 'post',
      path: '/register',
      access: 'public',
      summary: 'Register',
      operationId: 'register',
      before: limit(context, 'register'),
      body: schemas.register,
      response: hideRegistered ? schemas.pending : schemas.grant,
      status: hideRegistered ? 202 : 201,
      errors: [
        ...(hideRegistered ? [] : (['email_taken'] as const)),
        ...(identifier === 'email' ? [] : [toTakenCode(identifier)]),
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
      before: limit(context, 'login'),
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

const createProfileRoutes: CreateRoutes = (context, schemas) => {
  const { identifier } = context.settings
  return [
    defineRoute({
      method: 'patch',
      path: '/me',
      access: 'user',
      summary: 'Change own fields of the current user',
      operationId: 'updateMe',
      before: limit(context, 'updateMe'),
      body: schemas.updateMe,
      response: schemas.user,
      errors: [
        'duplicate',
        'rate_limited',
        ...(identifier === 'email' ? [] : [toTakenCode(identifier)]),
      ],
      async handler(req, res) {
        const facts = toFacts(context, req)
        const user = await updateOwnFields(context, req.user.id, req.valid.body, facts)
        success(res, context.toUserView(user))
      },
    }),
  ]
}

const createTokenRoutes: CreateRoutes = (context, schemas) => {
  const { stateless, transport } = context.settings
  const { inBody, guards } = transport
  return [
    defineRoute({
      method: 'get',
      path: '/me',
      access: 'user',
      summary: 'Show the current user',
      operationId: 'me',
      before: limit(context, 'me'),
      response: schemas.user,
      errors: ['rate_limited'],
      async handler(req, res) {
        // Without `stateless` the user has just been loaded for this request.
        const user = stateless ? await context.users.findById(req.user.id) : undefined
        success(res, user ? context.toUserView(user) : req.user)
      },
    }),
    defineRoute({
      method: 'post',
      path: '/refresh-token',
      access: 'public',
      summary: 'Exchange a refresh token for new tokens',
      operationId: 'refreshToken',
      before: [...limit(context, 'refresh'), ...guards],
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
      before: [...limit(context, 'logout'), ...guards],
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

const createSessionRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/logout-all',
    access: 'user',
    summary: 'Log out of every session of the current user',
    operationId: 'logoutAll',
    before: limit(context, 'logoutAll'),
    errors: ['rate_limited'],
    async handler(req, res) {
      await revokeSessions(context, toCaller(req), toFacts(context, req))
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
    before: limit(context, 'sessions'),
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
    before: limit(context, 'sessions'),
    params: schemas.sessionParams,
    errors: ['rate_limited'],
    async handler(req, res) {
      const session = { userId: req.user.id, sessionId: req.valid.params.id }
      await revokeSession(context, session, toFacts(context, req))
      success(res)
    },
  }),
]

const createPasswordRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/change-password',
    access: 'user',
    summary: 'Change the password and revoke all other sessions',
    operationId: 'changePassword',
    before: limit(context, 'changePassword'),
    body: schemas.changePassword,
    errors: ['invalid_credentials', 'password_too_common', 'rate_limited', 'overloaded'],
    async handler(req, res) {
      await changePassword(context, req.valid.body, toCaller(req), toFacts(context, req))
      success(res)
    },
  }),
]

const createMailRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/forgot-password',
    access: 'public',
    summary: 'Request a link that sets a new password',
    operationId: 'forgotPassword',
    before: limit(context, 'forgotPassword'),
    body: schemas.emailOnly,
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
    before: limit(context, 'resetPassword'),
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
    before: limit(context, 'verifyEmail'),
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
    before: limit(context, 'resendVerification'),
    body: schemas.emailOnly,
    errors: ['rate_limited'],
    handler(req, res) {
      resendVerification(context, req.valid.body.email)
      success(res)
    },
  }),
]

const createEmailRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/change-email',
    access: 'user',
    summary: 'Request a link that changes the e-mail address',
    operationId: 'changeEmail',
    before: limit(context, 'changeEmail'),
    body: schemas.changeEmail,
    errors: [
      'invalid_credentials',
      ...(context.settings.hideRegistered ? [] : (['email_taken'] as const)),
      'rate_limited',
      'overloaded',
    ],
    async handler(req, res) {
      await changeEmail(context, req.valid.body, req.user.id, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/confirm-email',
    access: 'public',
    summary: 'Change the e-mail address with the token of a link',
    operationId: 'confirmEmail',
    before: limit(context, 'confirmEmail'),
    body: schemas.verifyEmail,
    errors: ['invalid_token', 'email_taken', 'rate_limited'],
    async handler(req, res) {
      await confirmEmail(context, req.valid.body.token, toFacts(context, req))
      success(res)
    },
  }),
]

function hasOwnInput({ settings }: AuthContext): boolean {
  return Object.keys(settings.userFields.input).length > 0
}

function limit({ addressLimits }: AuthContext, name: LimitName): RequestHandler[] {
  return addressLimits.stages(name)
}

function toFacts({ settings }: AuthContext, req: Request): RequestFacts {
  return toRequestFacts(req, settings.now())
}

function toCaller({ user, sessionId }: UserRequest): SessionCaller {
  return { userId: user.id, sessionId }
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
