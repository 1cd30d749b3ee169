import { type Request, type RequestHandler, type Response } from 'express'
import { type output } from 'zod'
import { type ApiRequest, type UserRequest } from '../routing/request.ts'
import { success } from '../routing/success.ts'
import { login, register } from './account-service.ts'
import { type AuthContext } from './auth-context.ts'
import { type AuthSchemas } from './auth-schemas.ts'
import { refresh } from './refresh-service.ts'
import { type RequestFacts, toRequestFacts } from './request-facts.ts'
import { toUserView } from './user-view.ts'

type Body<Name extends 'register' | 'login' | 'refresh'> = ApiRequest<{
  params: undefined
  query: undefined
  body: output<AuthSchemas[Name]>
}>

/** The controllers of the authentication routes. */
export interface AuthController {
  /** Notes when a request came; stands before all that waits. */
  readonly noteArrival: RequestHandler
  readonly register: (req: Body<'register'>, res: Response) => Promise<void>
  readonly login: (req: Body<'login'>, res: Response) => Promise<void>
  readonly refresh: (req: Body<'refresh'>, res: Response) => Promise<void>
  readonly me: (req: UserRequest, res: Response) => Promise<void>
}

/**
 * Makes the controllers: HTTP in, HTTP out.
 * @param context - the parts of authentication
 * @returns the controllers
 */
export function createAuthController(context: AuthContext): AuthController {
  const arrivals = new WeakMap<Request, number>()
  const { now, stateless } = context.settings
  const toFacts = (req: Request): RequestFacts => toRequestFacts(req, arrivals.get(req) ?? now())
  return {
    noteArrival(req, _res, next) {
      arrivals.set(req, now())
      next()
    },
    async register(req, res) {
      const { email, password, ...fields } = req.valid.body
      const grant = await register(context, { email, password, fields }, toFacts(req))
      success(res.status(201), grant)
    },
    async login(req, res) {
      success(res, await login(context, req.valid.body, toFacts(req)))
    },
    async refresh(req, res) {
      success(res, await refresh(context, req.valid.body.refreshToken, toFacts(req)))
    },
    async me(req, res) {
      // Strict checking has loaded the user for this very request.
      const user = stateless ? await context.users.findById(req.user.id) : undefined
      success(res, user ? toUserView(user) : req.user)
    },
  }
}
