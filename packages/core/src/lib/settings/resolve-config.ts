import { randomBytes } from 'node:crypto'
import { type Store } from 'express-rate-limit'
import { type AuthValues } from '../auth/options/auth-options.ts'
import { type AuthParts } from '../auth/options/auth-settings.ts'
import { toSchemes } from '../auth/tokens/schemes.ts'
import { findReadyMade } from '../auth/options/ready-made.ts'
import { type Secrets } from '../auth/tokens/parse-secrets.ts'
import { securityEventNames } from '../auth/events/security-events.ts'
import { createRedisConnection, type RedisConnection } from '../database/connect-redis.ts'
import { findChange } from '../fast/self-test.ts'
import { type CorsOptions, defaultAllowedHeaders } from '../http/cors.ts'
import { type SecurityHeadersOptions } from '../http/security-headers.ts'
import { type ProcessEnvironment } from '../options/options.ts'
import { type ProcessRole, toProcessRole } from '../runtime/process-role.ts'
import { readHandover } from '../lifecycle/pool-messages.ts'
import { createMongoStore } from '../limits/mongo-store.ts'
import { type LimiterOptions } from '../limits/rate-limit.ts'
import { createRedisStore } from '../limits/redis-store.ts'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { type MetricsFeature, type MetricsSettings } from '../features/metrics.ts'
import { type OpenApiOptions } from '../openapi/document.ts'
import { toSecuritySchemes } from '../openapi/security.ts'
import { describePastSunset } from '../route/deprecation.ts'
import { findSlowFields } from '../resource/missing-indexes.ts'
import { type Registry } from '../routing/registry.ts'
import {
  type ApiConfig,
  type ApiOptions,
  type ApiValues,
  type OpenApiConfig,
  type DatabaseSettings,
} from './api-options.ts'
import { checkTogether, sendsCookies, chooseStore, hasMetrics } from './cross-checks.ts'
import { ConfigError } from './config-error.ts'
import { publishVariables } from './describe-environment.ts'
import { readConfig } from './read-config.ts'

/** The resolved configuration: options, environment variables and defaults. Times are in milliseconds. */
export interface Settings extends Omit<
  ApiValues,
  'routes' | 'database' | 'auth' | 'redis' | 'log' | 'rateLimit' | 'metrics' | 'openapi'
> {
  /** The role of this process if there are several workers. */
  readonly role: ProcessRole
  /** The database with its address; false without one. */
  readonly database: (DatabaseSettings & { readonly uri: string }) | false
  /** The secrets that all processes of the API share: those of the options, or a random one. */
  readonly secrets: Secrets
  /** Authentication; false without it. */
  readonly auth: AuthParts | false
  /** Connection to Redis, if requests are counted there. */
  readonly redis: RedisConnection | undefined
  /** The application log. */
  readonly logger: Logger
  /** The global rate limit; false without one. */
  readonly rateLimit: LimiterOptions | false
  /** The metrics; false without them. */
  readonly metrics: (MetricsSettings & Pick<MetricsFeature, 'create'>) | false
  /** The OpenAPI document; false without one. */
  readonly openapi: (OpenApiOptions & Pick<OpenApiConfig, 'serve'>) | false
  /** Warnings that the API logs when it starts. */
  readonly warnings: readonly string[]
}

// Reads options, environment and defaults, once. It throws a TypeError for options that do not
// exist, and a ConfigError with every other problem at once, never with a value.
export function resolveConfig(config: ApiConfig, env: ProcessEnvironment = process.env): Settings {
  if (typeof config !== 'object' || config === null) {
    throw new TypeError('createApi() needs its options: createApi({ routes }).')
  }
  const readyMade = findReadyMade(config.auth)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is neither is reported as an unknown option
  if (!readyMade) return resolveOptions(config as ApiOptions, env)
  // Its options are treated like those of `config.auth`, except for the two that are options of the API there.
  const { serviceName, logger, ...auth } = readyMade.options
  const settings = resolveOptions({ ...config, auth }, env)
  if (!settings.auth) return settings
  const own = {
    serviceName: serviceName ?? settings.auth.serviceName,
    logger: logger ?? settings.logger,
  }
  return { ...settings, auth: { ...settings.auth, ...own } }
}

function resolveOptions(config: ApiOptions, env: ProcessEnvironment): Settings {
  const reading = readConfig(config, env)
  if (reading.unknown.length > 0) {
    throw new TypeError(reading.unknown.map((text) => `createApi() ${text}`).join(' '))
  }
  publishVariables(config, env)
  const findings = checkTogether(config, reading.values)
  // A value that cannot be read is absent from the values that are checked together.
  const unread = new Set(reading.problems.map(({ name }) => name))
  const others = findings.problems.filter(({ name }) => !unread.has(name))
  const problems = [...reading.problems, ...others]
  if (problems.length > 0) throw new ConfigError(problems)
  const warnings = [...findings.warnings, ...warnOfRoutes(config.routes)]
  return toSettings(reading.values, warnings)
}

function warnOfRoutes({ mounts }: Registry): string[] {
  return mounts.flatMap(({ prefix, router }) => [
    ...findSlowFields(router),
    ...router.routes.flatMap((route) => describePastSunset(route, prefix) ?? []),
  ])
}

function toSettings(values: ApiValues, warnings: readonly string[]): Settings {
  const { auth, log, server } = values
  // A process that serves no requests shares no port.
  const role = toProcessRole(values.jobs.worker === 'only' ? 1 : values.workers)
  // Under a primary process the embedded database and the secrets are those of that process.
  const handover = readHandover()
  const secrets: Secrets = (auth && auth.secrets) ||
    handover?.secrets || [randomBytes(32).toString('base64')]
  const logger = log.logger ?? createLogger(log)
  const redis = createRedis(values, logger)
  const createStore = toCreateStore(values, redis)
  const change = server.fast ? findChange() : undefined
  return {
    ...values,
    role,
    server: { ...server, fast: server.fast && change === undefined },
    database: toDatabase(values, handover?.databaseUri),
    secrets,
    auth: auth && { ...toAuth(auth, values, createStore), secrets, logger },
    redis,
    logger,
    accessLog: { stream: log.stream, ...values.accessLog },
    cors: toCors(values),
    securityHeaders: toSecurityHeaders(values),
    rateLimit: toRateLimit(values, logger, createStore),
    metrics: toMetrics(values, role),
    openapi: toOpenApi(values),
    warnings: change === undefined ? warnings : [...warnings, change],
  }
}

function toAuth(
  auth: AuthValues,
  { name, environment }: ApiValues,
  createStore: (() => Store) | undefined,
): Omit<AuthParts, 'secrets'> {
  // `off` for the limit of logins switches off all of them.
  const limits = auth.limits && auth.limits.perAddress.login.limit !== false && auth.limits
  return {
    ...auth,
    serviceName: name,
    environment,
    limits: limits && { ...limits, createStore: limits.createStore ?? createStore },
  }
}

// Browsers send the header of the organization only if a preflight allows it.
function toCors(values: ApiValues): CorsOptions {
  const { cors, tenants } = values
  const options = { ...cors, credentials: sendsCookies(values) }
  if (!tenants || tenants.from !== 'header') return options
  return { allowedHeaders: [...defaultAllowedHeaders, tenants.header], ...options }
}

function toSecurityHeaders({
  cors,
  environment,
  securityHeaders,
}: ApiValues): SecurityHeadersOptions {
  const isCorsOn = !Array.isArray(cors.origins) || cors.origins.length > 0
  return {
    hsts: environment === 'production' ? 'always' : 'https',
    // A browser must not keep a response from a page that CORS lets read it.
    resourcePolicy: isCorsOn ? 'cross-origin' : 'same-origin',
    ...securityHeaders,
  }
}

function toDatabase({ database }: ApiValues, handedOver: string | undefined): Settings['database'] {
  if (!database) return false
  const uri = handedOver ?? database.uri
  // Only production has no default: cross-checks.ts rejects it there.
  return uri !== undefined && { ...database, uri }
}

function toMetrics({ metrics, server }: ApiValues, role: ProcessRole): Settings['metrics'] {
  if (!metrics || !metrics.create || !hasMetrics(metrics)) return false
  return { ...metrics, create: metrics.create, host: server.host, role, events: securityEventNames }
}

function toOpenApi({
  auth,
  authenticator,
  envelope,
  errors,
  name,
  openapi,
  rateLimit,
  tenants,
}: ApiValues): Settings['openapi'] {
  if (!openapi) return false
  const rateLimited = rateLimit !== false && rateLimit.limit !== false
  const securitySchemes =
    authenticator?.securitySchemes ??
    toSecuritySchemes(authenticator?.schemes ?? (auth ? toSchemes(auth) : undefined), {
      apiKeys: auth && auth.apiKeys !== false,
    })
  const tenantHeader = tenants && tenants.from === 'header' ? tenants.header : undefined
  const statuses = errors === 'pass' ? undefined : errors.statuses
  const facts = { rateLimited, securitySchemes, statuses, tenantHeader }
  return { title: name, envelope, ...facts, ...openapi }
}

function toRateLimit(
  { rateLimit }: ApiValues,
  logger: Logger,
  createStore: (() => Store) | undefined,
): LimiterOptions | false {
  if (rateLimit === false || rateLimit.limit === false) return false
  const { limit, store } = rateLimit
  const chosen = typeof store === 'object' ? store : createStore?.()
  return { ...rateLimit, limit, store: chosen, logger }
}

function createRedis(values: ApiValues, logger: Logger): RedisConnection | undefined {
  const { url } = values.redis
  if (chooseStore(values) !== 'redis' || url === undefined) return undefined
  return createRedisConnection({ url, logger })
}

// Each limit has its own store, which takes the length of its window from the limit; without a
// shared store they count in memory.
function toCreateStore(
  values: ApiValues,
  redis: RedisConnection | undefined,
): (() => Store) | undefined {
  if (redis) return () => createRedisStore({ ...redis, prefix: `${values.name}:limit:` })
  return chooseStore(values) === 'mongodb' ? () => createMongoStore() : undefined
}
