import { type Request, type Response } from 'express'
import { defineRoute } from '../../route/define-route.ts'
import { type Route } from '../../route/route.ts'
import { success } from '../../response/success.ts'
import { closeToApiKeys, createApiKeyRoutes } from './api-key-routes.ts'
import { login, register, registerHidden } from '../accounts/account-service.ts'
import { type AuthContext } from '../service/auth-context.ts'
import { createEmailRoutes } from './email-routes.ts'
import { toTakenCode } from '../users/identifier.ts'
import { type JsonWebKeySet } from '../tokens/keys.ts'
import { createPasswordRoutes } from './password-routes.ts'
import { type CreateRoutes, limited, toCaller, toFacts } from './route-parts.ts'
import {
  listSessions,
  logout,
  refresh,
  revokeSession,
  revokeSessions,
} from '../sessions/session-service.ts'
import { updateOwnFields } from '../accounts/user-service.ts'

// The authentication routes, each with its own limit.
export const createAuthRoutes: CreateRoutes = (context, schemas) =>
  [
    ...createAccountRoutes(context, schemas),
    ...createTokenRoutes(context, schemas),
    ...(hasOwnInput(context) ? createProfileRoutes(context, schemas) : []),
    ...createSessionRoutes(context, schemas),
    ...createPasswordRoutes(context, schemas),
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
      body: schemas.register,
      response: hideRegistered ? schemas.pending : schemas.grant,
      status: hideRegistered ? 202 : 201,
      ...limited(context, 'register', [
        ...(hideRegistered ? [] : (['email_taken'] as const)),
        ...(identifier === 'email' ? [] : [toTakenCode(identifier)]),
        'password_too_common',
        'overloaded',
      ]),
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
      body: schemas.login,
      response: schemas.grant,
      ...limited(context, 'login', [
        'invalid_credentials',
        'overloaded',
        ...(context.signIn?.loginErrors ?? []),
      ]),
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
      body: schemas.updateMe,
      response: schemas.user,
      ...limited(context, 'updateMe', [
        'duplicate',
        ...(identifier === 'email'
          ? []
          : (['invalid_credentials', toTakenCode(identifier)] as const)),
      ]),
      async handler(req, res) {
        const facts = toFacts(context, req)
        const user = await updateOwnFields(context, req.user.id, req.valid.body, facts)
        success(res, context.toUserView(user))
      },
    }),
  ]
}

const refreshErrors = [
  'invalid_token',
  'session_revoked',
  'refresh_token_expired',
  'refresh_token_reused',
  'refresh_conflict',
] as const

const createTokenRoutes: CreateRoutes = (context, schemas) => {
  const { stateless, transport } = context.settings
  const { inBody, guards } = transport
  const guardErrors = inBody ? [] : (['forbidden'] as const)
  return [
    defineRoute({
      method: 'get',
      path: '/me',
      access: 'user',
      summary: 'Show the current user',
      operationId: 'me',
      response: schemas.user,
      ...limited(context, 'me'),
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
      body: inBody ? schemas.refresh : undefined,
      response: schemas.grant,
      ...limited(context, 'refresh', [...refreshErrors, ...guardErrors], guards),
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
      body: inBody ? schemas.refresh : undefined,
      ...limited(context, 'logout', guardErrors, guards),
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
    ...limited(context, 'logoutAll'),
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
    response: schemas.sessions,
    ...limited(context, 'sessions'),
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
    params: schemas.sessionParams,
    ...limited(context, 'sessions'),
    async handler(req, res) {
      const session = { userId: req.user.id, sessionId: req.valid.params.id }
      await revokeSession(context, session, toFacts(context, req))
      success(res)
    },
  }),
]

function hasOwnInput({ settings }: AuthContext): boolean {
  return Object.keys(settings.userFields.input).length > 0
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
