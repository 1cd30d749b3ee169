import { randomBytes } from 'node:crypto'
import { type AuthOptions } from '../auth/auth-options.ts'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { type ApiConfig } from './api-config.ts'
import { type Values } from './read-variables.ts'
import { type DatabaseSettings, type ServerSettings, type Settings } from './settings.ts'
import { toMail } from './to-mail.ts'
import { type CreateStore, toCreateStore, toRedis } from './to-store.ts'

/**
 * Puts the settings together from options and values that have been checked.
 * @param config - the options of `createApi`
 * @param values - every variable
 * @param warnings - what should be known at the start
 * @returns the settings
 */
export function toSettings(
  config: ApiConfig,
  values: Values,
  warnings: readonly string[],
): Settings {
  const logger = config.log?.logger ?? createLogger(toLog(config, values))
  const redis = toRedis(values, logger)
  const createStore = toCreateStore(config.name ?? 'api', values, redis)
  return {
    name: config.name ?? 'api',
    environment: values.NODE_ENV,
    server: toServer(values),
    workers: values.WORKERS,
    trustProxy: values.TRUST_PROXY,
    database: toDatabase(config, values),
    auth: config.auth === false ? false : toAuth(config, values, createStore),
    cursorSecrets: values.JWT_SECRET,
    redis,
    logger,
    ...toStages(config, values),
    rateLimit: toRateLimit(config, values, { logger, createStore }),
    errors: { ...config.errors },
    envelope: config.envelope,
    openapi: config.openapi === false ? false : { ...config.openapi },
    metrics: toMetrics(values),
    warnings,
  }
}

function toServer(values: Values): ServerSettings {
  return {
    host: values.HOST,
    port: values.PORT,
    headersTimeout: values.HEADERS_TIMEOUT,
    requestTimeout: values.REQUEST_TIMEOUT,
    keepAliveTimeout: values.KEEP_ALIVE_TIMEOUT,
    drainDelay: values.DRAIN_DELAY,
    shutdownTimeout: values.SHUTDOWN_TIMEOUT,
    handlerTimeout: values.HANDLER_TIMEOUT,
    maxConcurrentRequests: values.MAX_CONCURRENT_REQUESTS,
    maxEventLoopDelay: values.MAX_EVENT_LOOP_DELAY,
  }
}

function toDatabase({ database }: ApiConfig, values: Values): DatabaseSettings | false {
  if (database === false || values.MONGODB_URI === undefined) return false
  return {
    uri: values.MONGODB_URI,
    name: database?.name,
    maxPoolSize: values.MONGODB_POOL_SIZE,
    operationTimeout: values.MONGODB_TIMEOUT,
  }
}

function toAuth(
  config: ApiConfig,
  values: Values,
  createStore: CreateStore | undefined,
): Omit<AuthOptions, 'logger'> {
  const options = config.auth === false ? {} : { ...config.auth }
  const login = values.AUTH_RATE_LIMIT !== false && {
    limit: values.AUTH_RATE_LIMIT,
    window: toSeconds(values.AUTH_RATE_LIMIT_WINDOW),
  }
  const limits = options.limits ?? {}
  return {
    ...options,
    serviceName: config.name ?? 'api',
    secrets: values.JWT_SECRET ?? [randomBytes(32).toString('base64')],
    signingKeys: values.JWT_SIGNING_KEYS,
    issuer: values.JWT_ISSUER,
    audience: values.JWT_AUDIENCE,
    accessLifetime: toSeconds(values.ACCESS_TTL),
    refreshIdleLifetime: toSeconds(values.REFRESH_TTL),
    refreshAbsoluteLifetime: toSeconds(values.REFRESH_MAX_TTL),
    refreshLeeway: toSeconds(values.REFRESH_LEEWAY),
    mail: toMail(options.mail, values),
    limits: limits !== false &&
      login && {
        perAccount: login,
        createStore,
        ...limits,
        perAddress: { ...limits.perAddress, login },
      },
  }
}

function toLog({ log }: ApiConfig, values: Values): Parameters<typeof createLogger>[0] {
  return { level: values.LOG_LEVEL, format: values.LOG_FORMAT, stream: log?.stream }
}

type Stages = Pick<
  Settings,
  'requestId' | 'accessLog' | 'securityHeaders' | 'cors' | 'health' | 'body'
>

function toStages(config: ApiConfig, values: Values): Stages {
  const origins = values.CORS_ORIGINS
  const isCorsOn = !Array.isArray(origins) || origins.length > 0
  return {
    requestId: { ...config.requestId },
    accessLog: { stream: config.log?.stream, ...config.accessLog, format: values.ACCESS_LOG },
    securityHeaders: {
      hsts: values.NODE_ENV === 'production' ? 'always' : 'https',
      // A browser must not keep an answer from a page that CORS let it through to.
      resourcePolicy: isCorsOn ? 'cross-origin' : 'same-origin',
      ...config.securityHeaders,
    },
    cors: { ...config.cors, origins },
    health: config.health === false ? false : { ...config.health },
    body: { ...config.body, limit: values.BODY_LIMIT },
  }
}

function toRateLimit(
  { rateLimit }: ApiConfig,
  values: Values,
  { logger, createStore }: { logger: Logger; createStore: CreateStore | undefined },
): Settings['rateLimit'] {
  if (rateLimit === false || values.RATE_LIMIT === false) return false
  const { window: _window, store: _store, ...options } = rateLimit ?? {}
  const store = values.RATE_LIMIT_STORE
  return {
    ...options,
    limit: values.RATE_LIMIT,
    windowMs: values.RATE_LIMIT_WINDOW,
    store: typeof store === 'object' ? store : createStore?.(),
    logger,
  }
}

function toMetrics(values: Values): Settings['metrics'] {
  const { METRICS_PORT: port, METRICS_TOKEN: token, METRICS_PATH: path } = values
  return port === undefined && token === undefined ? false : { port, token, path }
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
