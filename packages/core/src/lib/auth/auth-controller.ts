import { type Request, type Response } from 'express'
import { type output } from 'zod'
import { type ApiRequest, type UserRequest } from '../routing/request.ts'
import { success } from '../routing/success.ts'
import { login, register, registerHidden } from './account-service.ts'
import { type AuthContext } from './auth-context.ts'
import { type AuthSchemas } from './auth-schemas.ts'
import { resendVerification, verifyEmail } from './email-service.ts'
import { changePassword, forgotPassword, resetPassword } from './password-service.ts'
import { refresh } from './refresh-service.ts'
import { type RequestFacts, toRequestFacts } from './request-facts.ts'
import { type Caller, listSessions, logout, logoutAll, revokeSession } from './session-service.ts'
import { toUserView } from './user-view.ts'

type Handler<Req> = (req: Req, res: Response) => Promise<void>
type Input<Name extends keyof AuthSchemas> = {
  params: undefined
  query: undefined
  body: output<AuthSchemas[Name]>
}
type SessionInput = { params: output<AuthSchemas['sessionParams']> }

/** The controllers of the authentication routes. */
export interface AuthController {
  readonly register: Handler<ApiRequest<Input<'register'>>>
  readonly login: Handler<ApiRequest<Input<'login'>>>
  readonly me: Handler<UserRequest>
  readonly refresh: Handler<ApiRequest>
  readonly logout: Handler<ApiRequest>
  readonly logoutAll: Handler<UserRequest>
  readonly listSessions: Handler<UserRequest>
  readonly revokeSession: Handler<UserRequest<SessionInput>>
  readonly changePassword: Handler<UserRequest<Input<'changePassword'>>>
  readonly forgotPassword: Handler<ApiRequest<Input<'email'>>>
  readonly resetPassword: Handler<ApiRequest<Input<'resetPassword'>>>
  readonly verifyEmail: Handler<ApiRequest<Input<'verifyEmail'>>>
  readonly resendVerification: Handler<ApiRequest<Input<'email'>>>
}

type FactsOf = (req: Request) => RequestFacts

/**
 * Makes the controllers: HTTP in, HTTP out.
 * @param context - the parts of authentication
 * @returns the controllers
 */
export function createAuthController(context: AuthContext): AuthController {
  const toFacts: FactsOf = (req) => toRequestFacts(req, context.settings.now())
  return {
    ...controlAccount(context, toFacts),
    ...controlSessions(context, toFacts),
    ...controlPassword(context, toFacts),
  }
}

function controlAccount(
  context: AuthContext,
  toFacts: FactsOf,
): Pick<AuthController, 'register' | 'login' | 'me'> {
  const { stateless, hideRegistered, transport } = context.settings
  return {
    async register(req, res) {
      const { email, password, ...fields } = req.valid.body
      const input = { email, password, fields }
      if (hideRegistered) {
        await registerHidden(context, input, toFacts(req))
        success(res.status(202), { status: 'pending' })
        return
      }
      const grant = await register(context, input, toFacts(req))
      success(res.status(201), transport.write(res, grant))
    },
    async login(req, res) {
      const grant = await login(context, req.valid.body, toFacts(req))
      success(res, transport.write(res, grant))
    },
    async me(req, res) {
      // Strict checking has loaded the user for this very request.
      const user = stateless ? await context.users.findById(req.user.id) : undefined
      success(res, user ? toUserView(user) : req.user)
    },
  }
}

function controlSessions(
  context: AuthContext,
  toFacts: FactsOf,
): Pick<AuthController, 'refresh' | 'logout' | 'logoutAll' | 'listSessions' | 'revokeSession'> {
  const { transport } = context.settings
  return {
    async refresh(req, res) {
      const grant = await refresh(context, transport.read(req), toFacts(req))
      success(res, transport.write(res, grant))
    },
    async logout(req, res) {
      await logout(context, transport.read(req), toFacts(req))
      transport.clear(res)
      success(res)
    },
    async logoutAll(req, res) {
      await logoutAll(context, toCaller(req), toFacts(req))
      transport.clear(res)
      success(res)
    },
    async listSessions(req, res) {
      success(res, await listSessions(context, toCaller(req)))
    },
    async revokeSession(req, res) {
      const session = { userId: req.user.id, sessionId: req.valid.params.id }
      await revokeSession(context, session, toFacts(req))
      success(res)
    },
  }
}

function controlPassword(
  context: AuthContext,
  toFacts: FactsOf,
): Pick<
  AuthController,
  'changePassword' | 'forgotPassword' | 'resetPassword' | 'verifyEmail' | 'resendVerification'
> {
  return {
    async changePassword(req, res) {
      const input = { ...req.valid.body, ...toCaller(req), email: req.user.email }
      await changePassword(context, input, toFacts(req))
      success(res)
    },
    async forgotPassword(req, res) {
      forgotPassword(context, req.valid.body.email, toFacts(req))
      success(res)
    },
    async resetPassword(req, res) {
      await resetPassword(context, req.valid.body, toFacts(req))
      success(res)
    },
    async verifyEmail(req, res) {
      await verifyEmail(context, req.valid.body.token, toFacts(req))
      success(res)
    },
    async resendVerification(req, res) {
      resendVerification(context, req.valid.body.email)
      success(res)
    },
  }
}

function toCaller(req: UserRequest): Caller {
  return { userId: req.user.id, sessionId: req.sessionId ?? '' }
}
