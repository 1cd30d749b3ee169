import { type Server } from 'node:http'
import express, { type Express } from 'express'
import { announce } from './announce.ts'
import { compileRoutes } from './compile-routes.ts'
import { findConnections, findOwnConnection, prepareConnection } from './connections.ts'
import { type ReadMemberships } from './auth/api-keys/api-key-caller.ts'
import { type Auth, chooseAuthenticator, completeAuth } from './create-auth.ts'
import { createServer } from './create-server.ts'
import { createSecurityEvents, type SecurityEvent } from './auth/events/security-events.ts'
import { connectDatabase, type Database } from './database/connect.ts'
import { installFastPaths } from './fast/prototypes.ts'
import { type JobsRuntime } from './features/jobs.ts'
import { type Metrics } from './features/metrics.ts'
import { type ApiTenants, type Tenants } from './features/tenants.ts'
import { createErrorSender } from './http/error-handler.ts'
import { createInFlight, type InFlight } from './http/in-flight.ts'
import { inheritTrust } from './http/inherit-trust.ts'
import { ignorePorts } from './address/forwarded-address.ts'
import { installPipeline } from './http/install-pipeline.ts'
import { serveMounted } from './http/serve-mounted.ts'
import { type Authenticator } from './route/request.ts'
import { type Endpoint } from './route/route.ts'
import { createLifecycle, type LifecycleSettings } from './lifecycle/lifecycle.ts'
import { isPooled } from './lifecycle/pool-messages.ts'
import { type Started, type StartOptions } from './lifecycle/start-stop.ts'
import { setApplicationLogger } from './logging/get-logger.ts'
import { installRequestContext } from './logging/request-context.ts'
import { type OpenApiDocument } from './openapi/document.ts'
import { createPipeline } from './pipeline.ts'
import { createDispatcher } from './routing/dispatch.ts'
import { type ApiConfig } from './settings/api-options.ts'
import { resolveConfig, type Settings } from './settings/resolve-config.ts'

/** An API: an Express app with its configuration, its routes, and the functions that start and stop it. */
export interface Api {
  /** The Express app; add your middleware and routes as to any other. */
  readonly app: Express
  /** The resolved configuration: options, environment and defaults. */
  readonly config: Settings
  /** Every route, in the order of mounting. */
  readonly routes: readonly Endpoint[]
  /** The OpenAPI 3.1 document, as `/openapi.json` serves it, unless it is switched off. */
  readonly openapi: OpenApiDocument | undefined
  /** Authentication, unless it is switched off. */
  readonly auth: Auth | undefined
  /** Organizations, if they are on. */
  readonly tenants: Tenants | undefined
  /** The HTTP server, once started; undefined in the primary process of several `workers`. */
  readonly server: Server | undefined
  /**
   * Aborted when the server stops accepting connections. Close WebSockets and end streams then. Connections
   * that are still open at the end of `shutdownTimeout` are closed.
   */
  readonly stopping: AbortSignal
  /**
   * Connects the database, builds its indexes, then listens. SIGTERM, SIGINT and an uncaught error stop it.
   * With `workers`, it starts the worker processes instead, and SIGHUP replaces them one by one.
   * @param options - overrides of the configuration
   * @returns where it listens
   * @throws Error when the database cannot be reached, an index cannot be built or the port is in use
   */
  start(options?: StartOptions): Promise<Started>
  /**
   * Makes readiness fail, lets requests in flight finish, then closes the server and the database.
   * Can be called more than once.
   */
  stop(): Promise<void>
}

/**
 * Creates an API from a registry of routes: one Express app with the pipeline, authentication,
 * health checks and the OpenAPI document. Reads the environment once.
 * @param config - the options; only `routes` is required
 * @returns the API, not started
 * @throws ConfigError with every problem of options and environment at once
 * @throws TypeError for an option that does not exist
 * @throws Error with Express 4
 * @example
 * ```ts
 * const routes = createRegistry().use('/api/posts', postsRouter)
 *
 * export const api = createApi({ name: 'blog', routes })
 * const { url } = await api.start()
 * ```
 */
export function createApi(config: ApiConfig): Api {
  const settings = resolveConfig(config)
  const app = createApp(settings)
  const { logger, server } = settings
  const errors = settings.errors === 'pass' ? {} : settings.errors
  const sendError = createErrorSender({ ...errors, logger })
  const inFlight = createInFlight({ ...server, sendError })
  const metrics = settings.metrics ? settings.metrics.create(settings.metrics, inFlight) : undefined
  const onEvent = createEventListener(settings, metrics)
  const readMemberships: ReadMemberships = (user) => tenants?.readMemberships(user)
  const parts = settings.auth && { ...settings.auth, onEvent, readMemberships }
  const auth = parts ? completeAuth(config.auth, parts) : undefined
  const authenticator = chooseAuthenticator(settings.authenticator, auth)
  const tenants = createTenants(settings, { auth, authenticator, onEvent })
  const stopping = new AbortController()
  const streams = { stopping: stopping.signal, release: inFlight.release }
  const shared = { auth, tenants, streams, sendError }
  const { endpoints, describe } = compileRoutes(settings, config.routes, shared)
  const lifecycle = createLifecycle({
    ...settings,
    ...server,
    createServer: () => createServer(app, { ...server, ...errors, requireHostHeader: false }),
    connect: (options) => connect(settings, options, metrics),
    ...createBackground(settings, { auth, tenants, metrics, inFlight }),
    onStart({ url }) {
      // The first process of a pool speaks for all.
      if (!isPooled) announce({ ...settings, url, endpoints })
    },
    onClose: () => stopping.abort(),
  })
  const pipeline = createPipeline({
    ...settings,
    authenticator,
    connections: findConnections(settings),
    inFlight,
    metrics,
    lifecycle,
    dispatcher: createDispatcher(endpoints),
  })
  installPipeline(app, pipeline, { sendError, passesErrors: settings.errors === 'pass' })
  installRequestContext(app, logger)
  setApplicationLogger(logger)

  return {
    app,
    config: settings,
    routes: endpoints,
    get openapi() {
      return describe?.()
    },
    auth,
    tenants,
    get server() {
      return lifecycle.started?.server
    },
    stopping: stopping.signal,
    start: (options) => lifecycle.start(options),
    async stop() {
      await lifecycle.stop()
    },
  }
}

type OnEvent = (event: SecurityEvent) => void

function createEventListener(
  { auth }: Settings,
  metrics: Metrics | undefined,
): OnEvent | undefined {
  const own = auth ? auth.onEvent : undefined
  return metrics ? metrics.countEvents(own) : own
}

interface BackgroundParts {
  readonly auth: Auth | undefined
  readonly tenants: ApiTenants | undefined
  readonly metrics: Metrics | undefined
  readonly inFlight: InFlight
}

// The parts that run besides the server, and how they are stopped.
function createBackground(
  settings: Settings,
  { auth, inFlight, metrics, tenants }: BackgroundParts,
): Pick<LifecycleSettings, 'listens' | 'parts' | 'onDrain' | 'beforeDatabaseStops'> {
  const jobs = createJobs(settings, metrics)
  const others = prepareConnection(settings, auth ?? tenants)
  return {
    listens: settings.jobs.worker !== 'only',
    parts: [
      ...(metrics?.server ? [metrics.server] : []),
      ...others,
      ...(jobs ? [{ start: () => jobs.start(), stop: () => jobs.stop(0) }] : []),
    ],
    onDrain() {
      inFlight.closeAfterResponses()
      jobs?.drain()
    },
    async beforeDatabaseStops(timeLeftMs) {
      await Promise.all([auth?.stop(), jobs?.stop(timeLeftMs)])
    },
  }
}

function createJobs(settings: Settings, metrics: Metrics | undefined): JobsRuntime | undefined {
  const { jobs, logger, role } = settings
  if (role === 'primary') return undefined
  const { instruments } = metrics ?? {}
  return jobs.create?.({ works: jobs.worker !== 'off', logger, instruments })
}

interface TenantParts {
  readonly auth: Auth | undefined
  readonly authenticator: Authenticator | undefined
  readonly onEvent: OnEvent | undefined
}

function createTenants(
  settings: Settings,
  { auth, authenticator, onEvent }: TenantParts,
): ApiTenants | undefined {
  const { logger, tenants } = settings
  if (!tenants || !authenticator) return undefined
  const prefix = settings.auth ? settings.auth.modelPrefix : ''
  return tenants.create?.({
    settings: tenants,
    place: { connection: findOwnConnection(settings), prefix },
    authenticator,
    findEmail: async (id) => (await auth?.users.findById(id))?.email,
    isActive: async (id) => !auth || (await auth.users.findById(id))?.disabled === false,
    events: createSecurityEvents({ logger, onEvent, now: Date.now }),
  })
}

function createApp({ server, trustProxy, environment, logger }: Settings): Express {
  const app = express()
  // A method of Express 4 only.
  if ('lazyrouter' in app) throw new Error(express4Message)
  app.disable('x-powered-by')
  // Strong ETags come from the version of a document; a digest of every body is only cost.
  app.set('etag', false)
  app.set('query parser', 'simple')
  if (server.fast) {
    installFastPaths(app)
    serveMounted(app, () => {
      if (environment === 'development') logger.warn({}, slowHostMessage)
    })
  }
  if (trustProxy === undefined) inheritTrust(app)
  else {
    app.set('trust proxy', trustProxy)
    app.set('trust proxy fn', ignorePorts(app.get('trust proxy fn')))
  }
  // Express reads these settings when the router is created: with the pipeline, before they can be set.
  Object.defineProperties(app.router, {
    caseSensitive: { get: () => app.enabled('case sensitive routing') },
    strict: { get: () => app.enabled('strict routing') },
  })
  return app
}

const slowHostMessage =
  'Each request takes about twice as long as it could, because of how the app that this API is mounted in is served. Serve it with createServer(existingApp) of @create-api/core, or use Node 24.'

const express4Message =
  'createApi needs Express 5, and Express 4 is installed: npm install express@5. The stages, createRouter and createAuth work with Express 4 as well.'

async function connect(
  settings: Settings,
  { databaseName }: StartOptions,
  metrics: Metrics | undefined,
): Promise<Database | undefined> {
  const { database, logger, migrations } = settings
  if (!database) return undefined
  const name = databaseName ?? database.name
  const connected = await connectDatabase({
    ...database,
    logger,
    name,
    beforeIndexes: async (connection) => migrations.handlePending?.(connection, settings),
  })
  metrics?.watchPool(connected.connection)
  return connected
}
