import { type RequestHandler } from 'express'
import { noteArrival } from './fast/arrival.ts'
import { authentication } from './http/authentication.ts'
import { type Stage } from './kernel/stage.ts'
import { createRouter, type Router } from './routing/create-router.ts'
import { type Authenticator } from './kernel/request.ts'
import { createUser, register, type RegisterInput, removeUser } from './auth/account-service.ts'
import { createAuthContext } from './auth/auth-context.ts'
import { createAuthLimits } from './auth/auth-limits.ts'
import { type AuthOptions } from './auth/auth-options.ts'
import { createAuthRoutes, createJwksRoute } from './auth/auth-routes.ts'
import { type AuthSchemas, createAuthSchemas } from './auth/auth-schemas.ts'
import { type AuthSettings, resolveAuth } from './auth/auth-settings.ts'
import { createAuthenticator } from './auth/authenticator.ts'
import { type AuthGrant } from './auth/grant.ts'
import { ensureIndexes } from './auth/model-registry.ts'
import { type RequestFacts } from './auth/request-facts.ts'
import { type SessionStore } from './auth/session-store.ts'
import { type StoredUser, type UserStore } from './auth/user-store.ts'

/** Authentication, ready to be mounted. */
export interface Auth {
  /** The routes; mount them at `/api/v1/auth`, in `createApi` or in any Express app. */
  readonly router: Router
  /** Loads the caller of a request: sets `req.user`, or throws a 401. */
  readonly authenticate: Authenticator
  /** Creates the stage that guarded routes after it need to load their caller. */
  readonly authentication: () => Stage
  /** The users. */
  readonly users: UserStore
  /** The sessions. */
  readonly sessions: SessionStore
  /** Serves the public keys of access tokens, `jwks.json`; mount it at `/.well-known`. */
  readonly wellKnown: Router
  /** Registers a user as the route does, without a request. The input has been validated. */
  readonly register: (input: RegisterInput) => Promise<AuthGrant>
  /** Validates and keeps a user of any role, without a session; for `api users create`. */
  readonly createUser: (input: RegisterInput) => Promise<StoredUser>
  /** Removes a user and all sessions; false when there is none. */
  readonly removeUser: (id: string) => Promise<boolean>
  /** Builds the indexes; no request is to be served before. */
  readonly init: () => Promise<void>
  /** Waits for mails under way. */
  readonly stop: () => Promise<void>
}

/**
 * Creates the authentication of an API: users, sessions, tokens and the routes for them.
 * @param options - secrets, and what differs from the defaults
 * @returns the authentication
 * @throws TypeError that names every option that cannot be used
 */
export function createAuth(options: AuthOptions): Auth {
  return buildAuth(resolveAuth(options))
}

export function buildAuth(settings: AuthSettings): Auth {
  const context = createAuthContext(settings)
  const schemas = createAuthSchemas({
    minLength: settings.password.minLength,
    fields: settings.userFields,
    inBody: settings.transport.inBody,
    scheme: settings.scheme,
  })
  const limits = createAuthLimits(settings.limits, settings)
  const routes = createAuthRoutes(context, schemas, limits)
  const authenticate = createAuthenticator(context)
  return {
    router: guard(createRouter(routes, { tag: 'auth' }), authenticate),
    authenticate,
    authentication: () => authentication(authenticate),
    users: context.users,
    sessions: context.sessions,
    wellKnown: createRouter([createJwksRoute(settings.keys.jwks)]),
    register: (input) => register(context, input, toOwnFacts(settings)),
    createUser: async (input) =>
      createUser(context, parseInput(schemas, input), toOwnFacts(settings)),
    removeUser: (id) => removeUser(context, id),
    async init() {
      await ensureIndexes(settings.models)
    },
    async stop() {
      await context.mail?.flush()
    },
  }
}

// Guarded routes need the authenticator, also when the router is mounted in another app.
function guard(router: Router, authenticate: Authenticator): Router {
  const middleware: RequestHandler = (req, res, next) => {
    noteArrival(req)
    req.authenticator = authenticate
    res.setHeader('Cache-Control', 'no-store')
    router(req, res, next)
  }
  return Object.assign(middleware, { routes: router.routes, tag: router.tag })
}

function toOwnFacts({ now }: AuthSettings): RequestFacts {
  return { requestId: undefined, address: undefined, device: undefined, arrivedAt: now() }
}

function parseInput(
  schemas: AuthSchemas,
  { role, fields, ...input }: RegisterInput,
): RegisterInput {
  const { email, password, ...own } = schemas.register.parse({ ...fields, ...input })
  return { email, password, role, fields: own }
}
