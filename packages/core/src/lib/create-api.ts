import cluster from 'node:cluster'
import { type Server } from 'node:http'
import express, { type Express } from 'express'
import { announce } from './announce.ts'
import { type Auth, buildAuth } from './create-auth.ts'
import { type ApiConfig } from './settings/api-options.ts'
import { toAuthSettings } from './auth/auth-settings.ts'
import { securityEventNames } from './auth/security-events.ts'
import { resolveConfig, type Settings } from './settings/resolve-config.ts'
import { createServer } from './create-server.ts'
import { connectDatabase, type Database } from './database/connect.ts'
import { startDatabaseServer } from './database/database-server.ts'
import { type DatabaseLocation, parseDatabaseUri } from './database/location.ts'
import { createLifecycle } from './lifecycle/lifecycle.ts'
import { type Lifecycle, type Started, type StartOptions } from './lifecycle/start-stop.ts'
import { type Handover, isPooled, readHandover } from './lifecycle/pool-messages.ts'
import { createPrimary } from './lifecycle/primary.ts'
import { setApplicationLogger } from './logging/get-logger.ts'
import { installRequestContext } from './logging/request-context.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { describeApi, type OpenApiDocument } from './openapi/document.ts'
import { toTag } from './openapi/names.ts'
import { createDocsRoutes, createDocumentRoute } from './openapi/routes.ts'
import { installFastPaths } from './fast/prototypes.ts'
import { findChange } from './fast/self-test.ts'
import { type HealthOptions } from './http/health.ts'
import { createInFlight, type InFlight } from './http/in-flight.ts'
import { installPipeline } from './http/install-pipeline.ts'
import { createPipeline } from './pipeline.ts'
import { createErrorSender } from './http/error-handler.ts'
import { type CursorKeys } from './kernel/schema-marks.ts'
import { createCursorKeys } from './resource/cursor.ts'
import { findSlowFields } from './resource/missing-indexes.ts'
import { createDispatcher } from './routing/dispatch.ts'
import { type CompiledEndpoint, compileEndpoint } from './routing/endpoint.ts'
import { createRouter } from './routing/create-router.ts'
import { type Mount, type Registry } from './routing/registry.ts'
import { type Endpoint } from './kernel/route.ts'

/** An API: an Express app, and what is needed to run it. */
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
  /** The HTTP server, once started; none in the first of several `workers`. */
  readonly server: Server | undefined
  /**
   * Connects the database, builds its indexes, then listens. SIGTERM and SIGINT stop it, and so
   * does an uncaught error. With `workers` it starts them instead, and SIGHUP replaces
   * them one by one.
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
 * @param config - name, routes and options; every option has a default
 * @returns the API, not started
 * @throws ConfigError with every problem of options and environment at once
 * @throws TypeError for an option that does not exist
 */
export function createApi(config: ApiConfig): Api {
  const resolved = resolveConfig(config)
  const change = resolved.server.fast ? findChange() : undefined
  const fast = resolved.server.fast && change === undefined
  const settings = addWarnings(resolved, config.routes, change)
  const { logger } = settings
  const sendError = createErrorSender({ ...settings.errors, logger })
  const inFlight = createInFlight({ ...settings.server, sendError })
  const metrics = toMetrics(settings, inFlight)
  const auth = toAuth(settings, metrics)
  const mounts = [...toAuthMounts(auth), ...config.routes.mounts]
  const described = compileMounts(settings, mounts, fast)
  const describe = toDescription(settings, described)
  const undescribed = [...toDocumentMounts(describe), ...toKeyMounts(auth)]
  const endpoints = [...described, ...compileMounts(settings, undescribed, fast)]
  const app = createApp(settings, fast)
  const lifecycle = toLifecycle(settings, { app, fast, auth, endpoints, inFlight, metrics })
  const pipeline = createPipeline({
    ...settings,
    health: toHealth(settings, lifecycle),
    overload: settings.server,
    authenticator: auth?.authenticate,
    inFlight,
    metrics,
    isDraining: () => lifecycle.draining,
    dispatcher: createDispatcher(endpoints),
  })
  installPipeline(app, pipeline, sendError, fast)
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
    get server() {
      return lifecycle.started?.server
    },
    start: (options) => lifecycle.start(options),
    async stop() {
      await lifecycle.stop()
    },
  }
}

interface LifecycleParts {
  readonly app: Express
  readonly fast: boolean
  readonly auth: Auth | undefined
  readonly endpoints: readonly Endpoint[]
  readonly inFlight: InFlight
  readonly metrics: Metrics | undefined
}

function toLifecycle(settings: Settings, parts: LifecycleParts): Lifecycle {
  const { app, fast, auth, endpoints, inFlight, metrics } = parts
  const { server, errors, logger, workers } = settings
  const handover = readHandover()
  const location = toLocation(settings, handover)
  const common = {
    ...server,
    logger,
    // A test runner reports them itself and continues.
    stopsOnError: settings.environment !== 'test',
    onStart: ({ url }: Started) => sayStarted(settings, { url, location, endpoints }),
    beforeDatabaseStops: async () => auth?.stop(),
  }
  if (workers > 1 && cluster.isPrimary) {
    return createPrimary({
      ...common,
      workers,
      env: toSharedEnvironment(settings),
      parts: metrics?.server ? [metrics.server] : [],
      startDatabase: async () => (location ? startDatabaseServer(location) : undefined),
    })
  }
  return createLifecycle({
    ...common,
    createServer: () => createServer(app, { ...server, ...errors, fast, requireHostHeader: false }),
    async connect(options) {
      const database = await connect(location, settings, options)
      if (database) metrics?.watchPool(database.connection)
      return database
    },
    parts: [settings.redis, metrics?.server].filter((part) => part !== undefined),
    onDrain: () => inFlight.closeAfterResponses(),
  })
}

function toMetrics(settings: Settings, inFlight: InFlight): Metrics | undefined {
  const { metrics, server, workers } = settings
  if (!metrics) return undefined
  const role = workers === 1 ? 'alone' : cluster.isPrimary ? 'primary' : 'worker'
  return createMetrics(metrics, { inFlight, host: server.host, role, events: securityEventNames })
}

function toAuth({ auth, logger }: Settings, metrics: Metrics | undefined): Auth | undefined {
  if (!auth) return undefined
  const onEvent: typeof auth.onEvent = metrics
    ? (event) => {
        metrics.countEvent(event.event)
        auth.onEvent?.(event)
      }
    : auth.onEvent
  return buildAuth(toAuthSettings({ ...auth, logger, onEvent }))
}

function addWarnings(
  settings: Settings,
  { mounts }: Registry,
  change: string | undefined,
): Settings {
  const slow = mounts.flatMap(({ router }) => findSlowFields(router))
  const changes = change === undefined ? [] : [change]
  return { ...settings, warnings: [...settings.warnings, ...changes, ...slow] }
}

function toAuthMounts(auth: Auth | undefined): Mount[] {
  return auth ? [{ prefix: '/api/v1/auth', router: auth.router }] : []
}

// Outside the document: it is for the verifiers of tokens, not for clients.
function toKeyMounts(auth: Auth | undefined): Mount[] {
  return auth ? [{ prefix: '/.well-known', router: auth.wellKnown }] : []
}

function toDescription(
  settings: Settings,
  endpoints: readonly Endpoint[],
): (() => OpenApiDocument) | undefined {
  if (!settings.openapi) return undefined
  const { name: title, envelope, rateLimit } = settings
  return describeApi(endpoints, {
    title,
    envelope,
    rateLimited: rateLimit !== false,
    scheme: settings.auth ? settings.auth.scheme : undefined,
    ...settings.openapi,
  })
}

function toDocumentMounts(describe: (() => OpenApiDocument) | undefined): Mount[] {
  if (!describe) return []
  return [
    { prefix: '/openapi.json', router: createRouter([createDocumentRoute(describe)]) },
    { prefix: '/docs', router: createRouter(createDocsRoutes()) },
  ]
}

function compileMounts(
  settings: Settings,
  mounts: readonly Mount[],
  compile: boolean,
): CompiledEndpoint[] {
  const { body, envelope } = settings
  const strict = settings.environment !== 'production'
  const cursorKeys = toCursorKeys(settings)
  return mounts.flatMap(({ prefix, router }) =>
    router.routes.map((route) => {
      const tag = router.tag ?? toTag(prefix)
      return compileEndpoint(route, { prefix, tag, body, strict, compile, envelope, cursorKeys })
    }),
  )
}

// Of a secret that outlives this process and is known to the others, if there is one.
function toCursorKeys({ auth, name }: Settings): CursorKeys | undefined {
  const secrets = auth ? auth.secrets : []
  const [first = readHandover()?.cursorSecret, ...older] = secrets
  return first === undefined ? undefined : createCursorKeys([first, ...older], name)
}

// Under a first process the embedded database is the one that it serves.
function toLocation(
  { database }: Settings,
  handover: Handover | undefined,
): DatabaseLocation | undefined {
  if (!database) return undefined
  return parseDatabaseUri(handover?.databaseUri ?? database.uri)
}

// Workers need the secret of this process when it was created at random.
function toSharedEnvironment({ auth }: Settings): Record<string, string> {
  return auth ? { JWT_SECRET: auth.secrets.join(',') } : {}
}

async function connect(
  location: DatabaseLocation | undefined,
  settings: Settings,
  { databaseName }: StartOptions,
): Promise<Database | undefined> {
  if (!location || !settings.database) return undefined
  const { database, logger } = settings
  return connectDatabase(location, { ...database, logger, name: databaseName ?? database.name })
}

function toHealth(settings: Settings, lifecycle: Lifecycle): HealthOptions | false {
  if (!settings.health) return false
  const { timeoutMs = 500, checks } = settings.health
  const mongodb = {
    componentType: 'datastore',
    async check(): Promise<'pass'> {
      await lifecycle.started?.database?.ping(timeoutMs)
      return 'pass'
    },
  }
  return {
    isDraining: () => lifecycle.draining,
    ...settings.health,
    checks: { ...(settings.database ? { 'mongodb:connection': mongodb } : {}), ...checks },
  }
}

function sayStarted(
  settings: Settings,
  facts: { url: string; location: DatabaseLocation | undefined; endpoints: readonly Endpoint[] },
): void {
  // The first process of a pool speaks for all.
  if (isPooled) return
  const { name, environment, logger, warnings } = settings
  for (const warning of warnings) logger.warn({}, warning)
  announce({
    name,
    environment,
    logger,
    url: facts.url,
    database: facts.location,
    endpoints: facts.endpoints,
    print: (text) => process.stdout.write(text),
  })
}

function createApp(settings: Settings, fast: boolean): Express {
  const app = express()
  app.disable('x-powered-by')
  // Strong ETags come from the version of a document; a digest of every body is only cost.
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.set('trust proxy', settings.trustProxy)
  if (fast) installFastPaths(app)
  return app
}
