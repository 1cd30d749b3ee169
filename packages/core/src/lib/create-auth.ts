import { type Request, type RequestHandler } from 'express'
import { readArrivalTime } from './fast/arrival-time.ts'
import { authentication } from './http/authentication.ts'
import { type Stage } from './stage/stage.ts'
import { createRouter, type Router } from './routing/create-router.ts'
import { type ApiRequest, type Authenticator } from './route/request.ts'
import { type AuthContext, createAuthContext } from './auth/service/auth-context.ts'
import { type AuthOptions } from './auth/options/auth-options.ts'
import { closeToApiKeys } from './auth/routes/api-key-routes.ts'
import { noteEverySession } from './auth/sign-in/every-session.ts'
import { createAuthRoutes, createJwksRoute } from './auth/routes/auth-routes.ts'
import {
  type AuthSchemas,
  createAuthSchemas,
  type RouteSchemas,
  toSchemaOptions,
} from './auth/input/auth-schemas.ts'
import { type AuthService, createAuthService } from './auth/service/auth-service.ts'
import {
  type AuthParts,
  type AuthSettings,
  readAuthOptions,
  resolveAuth,
  type StandaloneValues,
  toAuthSettings,
} from './auth/options/auth-settings.ts'
import { createAuthenticator } from './auth/service/authenticator.ts'
import { findAuthWarnings } from './auth/options/auth-faults.ts'
import { findReadyMade, markReadyMade } from './auth/options/ready-made.ts'
import { ensureIndexes } from './auth/storage/model-registry.ts'
import { chooseAuthRoutes } from './auth/options/auth-route-choice.ts'
import { type SessionStore } from './auth/sessions/session-store.ts'
import { type SignInFeature, type SignInServices } from './auth/sign-in/sign-in.ts'

/** Authentication: its routes, its schemas, and the functions of {@link AuthService}. */
export interface Auth extends AuthService, SignInServices {
  /** The routes that `routes` chooses; `createApi` mounts them, an Express app with `app.use`. */
  readonly router: Router
  /** Loads the caller of a request: sets `req.user`, or throws a 401. */
  readonly authenticate: Authenticator
  /** Creates the stage that guarded routes after it need to load their caller. */
  readonly authentication: () => Stage
  /** The schemas of input and output, for routes of the application. */
  readonly schemas: AuthSchemas
  /** The sessions, as they are stored. */
  readonly sessions: SessionStore
  /** Serves the public keys of access tokens, `jwks.json`; mount it at `/.well-known`. */
  readonly wellKnown: Router
  /** Builds the indexes. Wait for it before you serve requests. */
  readonly init: () => Promise<void>
  /** Waits until pending mails have been sent and the last uses of API keys have been written. */
  readonly stop: () => Promise<void>
}

/**
 * Creates the authentication of an API: users, sessions, tokens and the routes for them. Mount it in an Express
 * app, or pass it to `createApi({ auth })`. The API then provides the settings that the options leave out:
 * name, logger, environment variables, mail and shared limits. Until then its functions can be passed on, but
 * not called.
 * @param options - the options; without `createApi`, `secrets` is required
 * @returns the authentication
 * @throws TypeError that names every invalid option; missing options are reported at the first use
 * @example
 * ```ts
 * const { JWT_SECRET } = readEnv({ JWT_SECRET: z.string() })
 * const auth = createAuth({ secrets: [JWT_SECRET] })
 * await auth.init()
 * app.use('/api/v1/auth', auth.router)
 * ```
 */
export function createAuth(options: AuthOptions = {}): Auth {
  const values = readAuthOptions(options)
  const schemas = createAuthSchemas(toSchemaOptions(values))
  let core: Core | undefined
  const complete = (settings: AuthSettings): Core => createCore(settings, schemas, auth)
  const auth = toAuth(() => (core ??= complete(resolveStandalone(values))), schemas, values.signIn)
  markReadyMade(auth, {
    options,
    bind(settings) {
      if (core) refuse()
      core = complete(settings)
    },
  })
  return auth
}

// Logs the warnings that `createApi` logs when it starts.
function resolveStandalone(values: StandaloneValues): AuthSettings {
  const settings = resolveAuth(values)
  for (const warning of findAuthWarnings(values)) settings.logger.warn({}, warning)
  return settings
}

function refuse(): never {
  throw new Error(
    'createApi({ auth }): this authentication is in use already. Pass it to one createApi(), before its routes are mounted and its functions are called.',
  )
}

// The authentication of an API: the one that was given, or a new one.
export function completeAuth(given: unknown, parts: AuthParts): Auth {
  const readyMade = findReadyMade(given)
  if (readyMade) {
    readyMade.bind(toAuthSettings(parts))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only createAuth makes them
    return given as Auth
  }
  const schemas = createAuthSchemas(toSchemaOptions(parts))
  const auth = toAuth(() => core, schemas, parts.signIn)
  const core = createCore(toAuthSettings(parts), schemas, auth)
  markReadyMade(auth, { options: {}, bind: refuse })
  return auth
}

// The application's own one as a copy for this API, so that `getAuth` and `getTenants` find what belongs to it.
export function chooseAuthenticator(
  own: Authenticator | undefined,
  auth: Auth | undefined,
): Authenticator | undefined {
  if (!own) return auth?.authenticate
  const authenticate: Authenticator = Object.assign((req: ApiRequest) => own(req), own)
  if (auth) owners.set(authenticate, auth)
  return authenticate
}

const owners = new WeakMap<Authenticator, Auth>()

/**
 * Returns the authentication of the API that serves a request. Controllers and services call it, so that they
 * need not import the authentication from the module that creates the API.
 * @param req - the request
 * @returns the authentication
 * @throws Error when the request did not pass the pipeline of an API with authentication, or the stage
 * `auth.authentication()`
 * @example
 * ```ts
 * const { accessToken } = await getAuth(req).login(req.valid.body.user, req)
 * ```
 */
export function getAuth(req: Request): Auth {
  const auth = req.authenticator && owners.get(req.authenticator)
  if (auth) return auth
  throw new Error(
    'getAuth(req) found no authentication: it is off in createApi(), or app.use(auth.authentication()) is missing before the route.',
  )
}

interface Core extends Pick<Auth, 'router' | 'authenticate' | 'wellKnown'> {
  readonly context: AuthContext
}

function createCore(settings: AuthSettings, schemas: RouteSchemas, auth: Auth): Core {
  const context = createAuthContext(settings, schemas)
  const authenticate = createAuthenticator(context)
  owners.set(authenticate, auth)
  const builtIn = chooseAuthRoutes(createAuthRoutes(context, schemas), settings.routes)
  const routes = [...builtIn, ...(context.signIn?.routes ?? []).map(closeToApiKeys)]
  noteEverySession(routes)
  return {
    context,
    authenticate,
    router: guard(createRouter(routes, { tag: 'auth' }), authenticate),
    wellKnown: createRouter([createJwksRoute(settings.keys.jwks)]),
  }
}

function toAuth(use: () => Core, schemas: RouteSchemas, signIn: SignInFeature | undefined): Auth {
  const auth: Omit<Auth, keyof SignInServices> = {
    ...createAuthService(() => use().context, schemas),
    schemas,
    get router() {
      return use().router
    },
    get authenticate() {
      return use().authenticate
    },
    authentication: () => authentication(use().authenticate),
    get sessions() {
      return use().context.sessions
    },
    get wellKnown() {
      return use().wellKnown
    },
    async init() {
      await ensureIndexes(use().context.settings.models)
    },
    async stop() {
      const { apiKeys, mail } = use().context
      await Promise.all([apiKeys?.store.flush(), mail?.flush()])
    },
  }
  // The package that adds a service declares its type.
  for (const name of signIn?.services ?? []) {
    const get = (): unknown => use().context.signIn?.services.get(name)
    Object.defineProperty(auth, name, { enumerable: true, get })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `signIn` adds what its package declares
  return auth as Auth
}

// Guarded routes need the authenticator, also when the router is mounted in another app.
function guard(router: Router, authenticate: Authenticator): Router {
  const middleware: RequestHandler = (req, res, next) => {
    readArrivalTime(req)
    req.authenticator = authenticate
    res.setHeader('Cache-Control', 'no-store')
    router(req, res, next)
  }
  return Object.assign(middleware, { routes: router.routes, tag: router.tag })
}
