import express, { type Express, type Request, type Response } from 'express'
import { type Server } from 'node:http'
import { type Auth, createAuth } from './auth/create-auth.ts'
import { type ApiConfig } from './config/api-config.ts'
import { resolveConfig, type Settings } from './config/resolve-config.ts'
import { createServer } from './create-server.ts'
import { connectDatabase, type Database } from './database/connect.ts'
import { parseDatabaseUri } from './database/location.ts'
import { ApiError } from './errors/api-error.ts'
import { createLifecycle, type Lifecycle, type Started, type StartOptions } from './lifecycle.ts'
import { createLogger, type Logger } from './logging/logger.ts'
import { createOpenApiRouter } from './openapi/router.ts'
import { type OpenApiDocument } from './openapi/document.ts'
import { installDeferredHeaders } from './pipeline/deferred-headers.ts'
import { createPipeline } from './pipeline/pipeline.ts'
import { createErrorSender, type SendError } from './pipeline/send-error.ts'
import { createDispatcher } from './routing/dispatch.ts'
import { type CompiledEndpoint, compileEndpoint } from './routing/endpoint.ts'
import { type Mount } from './routing/registry.ts'
import { type Endpoint } from './routing/route.ts'
import { announce } from './announce.ts'

/** An API: an Express app, and what is needed to run it. */
export interface Api {
  /** The Express app; add middleware and routes of your own as to any other. */
  readonly app: Express
  /** The configuration in force: options, environment and defaults together. */
  readonly config: Settings
  /** Every route, in the order of mounting. */
  readonly routes: readonly Endpoint[]
  /** The OpenAPI 3.1 document, as `/openapi.json` serves it. */
  readonly openapi: OpenApiDocument
  /** Authentication, unless it is switched off. */
  readonly auth: Auth | undefined
  /** The HTTP server, once started. */
  readonly server: Server | undefined
  /**
   * Connects the database, builds its indexes, then listens. SIGTERM and SIGINT stop it.
   * @param options - what differs from the configuration
   * @returns where it listens
   * @throws Error when the database cannot be reached, an index cannot be built or the port is taken
   */
  start(options?: StartOptions): Promise<Started>
  /**
   * Fails readiness, lets requests in flight finish, closes the door, then the database. Can be
   * called more than once.
   */
  stop(): Promise<void>
}

/**
 * Makes an API of a registry of routes: the pipeline, authentication, health checks and the
 * OpenAPI document around them, in one Express app. Reads the environment once.
 * @param config - name and routes; the rest has defaults
 * @returns the API, not started
 * @throws ConfigError with every problem of options and environment at once
 * @throws TypeError for an option that does not exist
 */
export function createApi(config: ApiConfig): Api {
  const settings = resolveConfig(config)
  const logger = createLogger(settings.log)
  const auth = settings.auth === false ? undefined : createAuth({ ...settings.auth, logger })
  const endpoints = compileMounts(settings, toMounts(config, auth))
  const openapi = createDocument(endpoints, settings)
  const app = createApp(settings)
  const lifecycle: Lifecycle = createLifecycle({
    ...settings.server,
    createServer: () => createServer(app, settings.server),
    connect: (options) => connect(settings, options),
    onStart: (started) => announce(settings, { logger, started, endpoints }),
    onSignal: (signal) => logger.info({ signal }, 'stopping'),
  })
  app.use(
    createPipeline({
      ...settings,
      health: settings.health && { ...toHealthChecks(lifecycle), ...settings.health },
      authenticator: auth?.authenticate,
      isDraining: () => lifecycle.draining,
      dispatcher: createDispatcher(endpoints),
    }),
  )
  answerLast(app, createErrorSender({ ...settings.errors, logger }))

  return {
    app,
    config: settings,
    routes: endpoints,
    openapi,
    auth,
    get server() {
      return lifecycle.started?.server
    },
    start: (options) => lifecycle.start(options),
    stop: () => lifecycle.stop(),
  }
}

function createApp(settings: Settings): Express {
  const app = express()
  app.disable('x-powered-by')
  // Strong ETags come from the version of a document; a digest of every body is only cost.
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.set('trust proxy', settings.trustProxy)
  installDeferredHeaders(app.response)
  return app
}

/**
 * Puts not found and errors behind everything, whatever is mounted later: they are what the app
 * calls when its stack is at the end. Mounted in another app, an unknown path is that app's.
 */
function answerLast(app: Express, sendError: SendError): void {
  const handle: unknown = Reflect.get(app, 'handle')
  if (typeof handle !== 'function') throw new Error('This release of Express has no app.handle.')
  Reflect.set(app, 'handle', (req: Request, res: Response, callback?: () => void) => {
    Reflect.apply(handle, app, [
      req,
      res,
      (error?: unknown) => {
        if (error) sendError(error, req, res)
        else if (callback) callback()
        else sendError(new ApiError('not_found'), req, res)
      },
    ])
  })
}
