import { availableParallelism } from 'node:os'
import { type Store } from 'express-rate-limit'
import helmet, { type HelmetOptions } from 'helmet'
import { type ZodType } from 'zod'
import { type AuthService } from '../auth/service/auth-service.ts'
import { type AuthConfig, authOptions, type AuthValues } from '../auth/options/auth-options.ts'
import { type JobsFeature, jobsOptions, type JobsValues } from '../features/jobs.ts'
import { type MetricsFeature, metricsOptions, type MetricsValues } from '../features/metrics.ts'
import {
  migrationOptions,
  type MigrationsFeature,
  type MigrationsValues,
} from '../features/migrations.ts'
import { type TenantsFeature, tenantOptions, type TenantValues } from '../features/tenants.ts'
import { type AccessLogOptions } from '../http/access-log.ts'
import { type BodyParserOptions, defaultBodyLimit } from '../http/body-parser.ts'
import { type CorsOptions } from '../http/cors.ts'
import { type HealthOptions } from '../http/health.ts'
import { compileFormat } from '../http/morgan-format.ts'
import { type OwnStages, parseOwnStages, type PlacedStages } from '../http/own-stages.ts'
import { type RequestIdOptions } from '../http/request-id.ts'
import { serverDefaults } from '../http/server-defaults.ts'
import { type SecurityHeadersOptions } from '../http/security-headers.ts'
import { type ErrorHandlerOptions } from '../http/error-handler.ts'
import {
  checkedBy,
  code,
  duration,
  integer,
  matching,
  oneOf,
  flag,
  onOff,
  option,
  type Options,
  orFalse,
  orLiteral,
  orOff,
  parsedBy,
  section,
  type Shape,
  size,
  text,
  type Values,
} from '../options/options.ts'
import { type Envelope } from '../response/envelope.ts'
import { type Authenticator } from '../route/request.ts'
import { rateLimitDefaults, type RateLimitOptions } from '../limits/rate-limit.ts'
import { type LineStream } from '../logging/line-sink.ts'
import { type ErrorStatuses, requireStatuses } from '../errors/error-statuses.ts'
import { type Logger } from '../logging/logger.ts'
import { type ForeignProblem, type License } from '../openapi/document.ts'
import { type OpenApiWebhooks } from '../openapi/webhooks.ts'
import { type Registry } from '../routing/registry.ts'
import { parseTrustProxy } from './parse-trust-proxy.ts'

// Every option of createApi. The comment of a key is its description, in editors and in the tables
// of docs/configuration.md and .env.example; CONTRIBUTING.md has the command that writes them.

const serverOptions = {
  /**
   * Address to listen on; `127.0.0.1` accepts connections from this machine only.
   * @default '0.0.0.0'
   */
  host: option(text(), { env: 'HOST', default: '0.0.0.0' }),
  /**
   * TCP port to listen on; `0` uses a free one.
   * @default 3000
   */
  port: option(integer(0, 65_535), { env: 'PORT', default: 3000 }),
  /**
   * Maximum time for the header fields of a request to arrive.
   * @default '10s'
   */
  headersTimeout: option(duration('1s', '10m'), {
    env: 'HEADERS_TIMEOUT',
    default: serverDefaults.headersTimeout,
  }),
  /**
   * Maximum time for a whole request to arrive.
   * @default '30s'
   */
  requestTimeout: option(duration('1s', '1h'), {
    env: 'REQUEST_TIMEOUT',
    default: serverDefaults.requestTimeout,
  }),
  /**
   * Time for which an idle connection stays open; set it longer than the idle timeout of your load
   * balancer.
   * @default '65s'
   */
  keepAliveTimeout: option(duration('1s', '1h'), {
    env: 'KEEP_ALIVE_TIMEOUT',
    default: serverDefaults.keepAliveTimeout,
  }),
  /**
   * Time for which requests are still accepted after readiness starts to fail, so that load
   * balancers notice.
   * @default '5s' in production, else '0s'
   */
  drainDelay: option(duration('0s', '5m'), {
    env: 'DRAIN_DELAY',
    default: { production: '5s', development: '0s', test: '0s' },
  }),
  /**
   * Maximum time from the signal to the end of the process, longer than `DRAIN_DELAY`. Connections
   * that are still open shortly before, including WebSockets, are closed.
   * @default '10s', in tests '2s'
   */
  shutdownTimeout: option(duration('100ms', '10m'), {
    env: 'SHUTDOWN_TIMEOUT',
    default: { production: '10s', development: '10s', test: '2s' },
  }),
  /**
   * Time after which a request whose handler has not started a response gets a 503; `off` for no
   * limit.
   * @default '30s'
   */
  handlerTimeout: option(orOff(duration('1s', '1h')), { env: 'HANDLER_TIMEOUT', default: '30s' }),
  /**
   * Maximum number of requests in progress in one process. Further requests, except health checks,
   * get a 503 at once; `off` for no limit.
   * @default 1000 in production, else false
   */
  maxConcurrentRequests: option(orOff(integer(1, 1_000_000)), {
    env: 'MAX_CONCURRENT_REQUESTS',
    default: { production: 1000, development: false, test: false },
  }),
  /**
   * Delay of the event loop above which requests, except health checks, get a 503 at once; `off`
   * for no limit.
   * @default '500ms' in production, else false
   */
  maxEventLoopDelay: option(orOff(duration('10ms', '1m')), {
    env: 'MAX_EVENT_LOOP_DELAY',
    default: { production: '500ms', development: false, test: false },
  }),
  /**
   * Whether to use the fast paths through Node and Express. Responses are the same without them, but
   * take longer. A self-test turns them off, with a warning, if Node or Express has changed.
   * @default true
   */
  fast: option(onOff(), { env: 'FAST', default: true }),
}

/** Options of the HTTP server. */
export interface ServerConfig extends Options<typeof serverOptions> {}

export interface ServerSettings extends Values<typeof serverOptions> {}

const databaseOptions = {
  /**
   * Where the documents are stored: a MongoDB server, `embedded:<folder>` or `embedded:memory`.
   * Required in production.
   * @default 'embedded:.data' in development, 'embedded:memory' in tests
   */
  uri: option(
    matching(
      /^(?:mongodb(?:\+srv)?:\/\/|embedded:)\S+$/,
      'must be mongodb://…, mongodb+srv://…, embedded:<folder> or embedded:memory',
    ),
    {
      env: 'MONGODB_URI',
      default: { production: undefined, development: 'embedded:.data', test: 'embedded:memory' },
      secret: true,
      example: 'mongodb://localhost:27017/app?replicaSet=rs0',
    },
  ),
  /**
   * Name of the database.
   * @default the one in the URI, else 'app'
   */
  name: option(text()),
  /**
   * Maximum number of connections to the database.
   * @default 50
   */
  maxPoolSize: option(integer(1, 1000), { env: 'MONGODB_POOL_SIZE', default: 50 }),
  /**
   * Time after which one operation of the database fails.
   * @default '5s'
   */
  operationTimeout: option(duration('100ms', '10m'), { env: 'MONGODB_TIMEOUT', default: '5s' }),
  /**
   * Whether requests that arrive together share a command to the database if they read the same list, read single
   * documents in the same scope or create documents.
   * @default true
   */
  shareCommands: option(onOff(), { env: 'MONGODB_SHARE_COMMANDS', default: true }),
}

/** Options of the database. */
export interface DatabaseConfig extends Options<typeof databaseOptions> {}

/** The database; durations in milliseconds. */
export interface DatabaseSettings extends Values<typeof databaseOptions> {}

const rateLimitOptions = {
  /**
   * Requests allowed for each client in a window; `off` for no limit.
   * @default 300
   */
  limit: option(orOff(integer(1, 1_000_000_000)), {
    env: 'RATE_LIMIT',
    default: rateLimitDefaults.limit,
  }),
  /**
   * Window of `RATE_LIMIT`.
   * @default '60s'
   */
  window: option(duration('1s', '1d'), {
    env: 'RATE_LIMIT_WINDOW',
    default: rateLimitDefaults.window,
  }),
  /**
   * Where requests, including those of authentication, are counted: in the `memory` of each
   * process, or in `mongodb` or `redis` for all processes together. The default is `redis` with
   * `REDIS_URL`, else `memory`. In code, it can be a store of express-rate-limit for the global
   * limit.
   * @default undefined
   */
  store: option(parsedBy<StoreChoice>(parseStore), {
    env: 'RATE_LIMIT_STORE',
    example: 'memory',
  }),
}

export type StoreChoice = 'memory' | 'mongodb' | 'redis' | Store

type OtherRateLimitOptions = Omit<
  RateLimitOptions,
  'name' | 'limit' | 'window' | 'store' | 'logger'
>

/** Options of the global rate limit; those of `rateLimit`, with other defaults. */
export interface RateLimitConfig extends Options<typeof rateLimitOptions>, OtherRateLimitOptions {}

interface RateLimitValues extends Values<typeof rateLimitOptions>, OtherRateLimitOptions {}

const redisOptions = {
  /**
   * Redis that counts requests for all processes together; `rediss://` for TLS. Needs the packages
   * `redis` and `rate-limit-redis`.
   * @default undefined
   */
  url: option(parsedBy<string>(parseRedisUrl), {
    env: 'REDIS_URL',
    secret: true,
    example: 'redis://localhost:6379',
  }),
}

/** Options of Redis. */
export interface RedisConfig extends Options<typeof redisOptions> {}

const logOptions = {
  /**
   * The lowest level that is logged.
   * @default 'info', in tests 'error'
   */
  level: option(oneOf('debug', 'info', 'warn', 'error', 'fatal', 'silent'), {
    env: 'LOG_LEVEL',
    default: { production: 'info', development: 'info', test: 'error' },
  }),
  /**
   * One JSON object per line, or text for people.
   * @default 'json' in production, else 'text'
   */
  format: option(oneOf('json', 'text'), {
    env: 'LOG_FORMAT',
    default: { production: 'json', development: 'text', test: 'text' },
  }),
  /**
   * Where the lines are written, those of the access log too.
   * @default standard output
   */
  stream: code<LineStream>(),
  /**
   * Replaces the logger, for example by one of pino; `level`, `format` and `stream` do not apply to
   * it.
   * @default undefined
   */
  logger: code<Logger>(),
}

/** Options of the application log. */
export interface LogConfig extends Options<typeof logOptions> {}

const openapiOptions = {
  /**
   * Whether everyone can read the document at `/openapi.json` and the page at `/docs`.
   * `api.openapi` has the document in any case. Unless this is set, production logs at startup that
   * both are public.
   * @default true
   */
  serve: option(onOff(), { env: 'OPENAPI', example: 'off' }),
  /**
   * Title of the document.
   * @default the name of the API
   */
  title: code<string>(),
  /**
   * Version of the API, as semver.
   * @default '1.0.0'
   */
  version: code<string>(),
  /**
   * Description of the API, in Markdown.
   * @default undefined
   */
  description: code<string>(),
  /**
   * Addresses the API is served at.
   * @default ['/'], the host the document was requested from, or the path that the API is mounted at
   */
  servers: code<readonly string[]>(),
  /**
   * Terms under which the API may be used: a name with an SPDX identifier or an address.
   * @default { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
   */
  license: code<License>(),
  /**
   * Schema of an error, where `errors.format` replaces the problems of RFC 9457.
   * @default application/problem+json
   */
  problem: code<ForeignProblem>(),
  /**
   * Requests that the API sends to receivers, by name: `webhooks` of the document. `createWebhooks` of `@create-api/webhooks`
   * returns them as `openapi`.
   * @default undefined
   */
  webhooks: code<OpenApiWebhooks>(),
}

/** Options of the OpenAPI document that describe the API as a whole. */
export interface OpenApiConfig extends Options<typeof openapiOptions> {}

const server: ZodType<ServerSettings, ServerConfig> = section(serverOptions)
const database: ZodType<DatabaseSettings, DatabaseConfig> = section(databaseOptions)
const jobs = featureOf<JobsValues, JobsFeature>(jobsOptions)
const migrations = featureOf<MigrationsValues, MigrationsFeature>(migrationOptions)
const auth: ZodType<AuthValues, AuthConfig> = section(authOptions)
const tenants = featureOf<TenantValues, TenantsFeature>(tenantOptions)
const redis: ZodType<Values<typeof redisOptions>, RedisConfig> = section(redisOptions)
const log: ZodType<Values<typeof logOptions>, LogConfig> = section(logOptions)
const metrics = featureOf<MetricsValues, MetricsFeature>(metricsOptions)
const openapi: ZodType<OpenApiConfig, OpenApiConfig> = section(openapiOptions)

// The options of stages are declared and documented by the stages; here is what the environment adds.

const body = sectionOf<Omit<BodyParserOptions, 'types'>>({
  /**
   * Maximum size of a JSON body, also after decompression.
   * @default '100kb'
   */
  limit: option(size(), { env: 'BODY_LIMIT', default: defaultBodyLimit }),
  maxDepth: option(integer(1, 1_000_000)),
  dollarNames: option(flag()),
})

const cors = sectionOf<CorsOptions>({
  /**
   * Origins whose scripts may read responses, in the environment separated by commas; none by
   * default, `*` is every origin, `https://*.example.com` every subdomain.
   * @default ''
   */
  origins: option(parsedBy(parseOrigins), {
    env: 'CORS_ORIGINS',
    default: '',
    example: 'https://app.example.com',
  }),
  credentials: true,
  methods: true,
  allowedHeaders: true,
  exposedHeaders: true,
  maxAge: true,
})

const rateLimit = sectionOf<RateLimitConfig, RateLimitValues>({
  ...rateLimitOptions,
  key: true,
  skip: true,
  failuresOnly: true,
  storeTimeoutMs: true,
  onStoreFailure: true,
  now: true,
})

const accessLog = sectionOf<AccessLogOptions>({
  /**
   * The line for each request: `json`, a format of morgan such as `dev` or `combined`, or `off`.
   * @default 'json' in production, 'dev' in development, in tests false
   */
  format: option(parsedBy(parseAccessLogFormat), {
    env: 'ACCESS_LOG',
    default: { production: 'json', development: 'dev', test: false },
  }),
  stream: true,
  skip: true,
})

const requestId = sectionOf<RequestIdOptions>({ trust: true, generate: true })
const health = sectionOf<Omit<HealthOptions, 'isDraining'>>({
  checks: true,
  timeoutMs: true,
  cacheMs: true,
})
const securityHeaders = sectionOf<SecurityHeadersOptions>({
  hsts: true,
  resourcePolicy: true,
  cacheControl: true,
  helmet: option(checkedBy<HelmetOptions>((options) => helmet(options))),
})
const errors = sectionOf<Omit<ErrorHandlerOptions, 'logger'>>({
  problemBase: true,
  format: true,
  statuses: option(checkedBy<ErrorStatuses>(requireStatuses)),
})

export const apiOptions = {
  /** The routes: `createRegistry().use('/api/posts', postsRouter)`. */
  routes: code<Registry>(),
  /**
   * Name of the service; issuer and audience of its tokens, and title of its document.
   * @default 'api'
   */
  name: option(text(), { default: 'api' }),
  /**
   * Where the service runs. Anything that serves real users is `production`.
   * @default 'development'
   */
  environment: option(oneOf('development', 'test', 'production'), {
    env: 'NODE_ENV',
    default: 'development',
  }),
  /**
   * HTTP server.
   * @default {}
   */
  server,
  /**
   * Proxies that are trusted to report the address of the client: how many of them forward a
   * request, or their networks; `off` for none. Unless this is set, an API that is mounted in
   * another app trusts the proxies of that app.
   * @default undefined
   */
  trustProxy: option(
    parsedBy<false | number | string[], false | number | string | readonly string[]>(
      parseTrustProxy,
    ),
    { env: 'TRUST_PROXY', example: '1' },
  ),
  /**
   * Number of processes that serve the port together, started and supervised by the first one;
   * `auto` is one for each processor.
   * @default 1
   */
  workers: option(parsedBy<number, number | 'auto'>(parseWorkers), { env: 'WORKERS', default: 1 }),
  /**
   * JSON bodies.
   * @default {}
   */
  body,
  /**
   * Database; false if the API has none, or if the application connects Mongoose itself.
   * @default {}
   */
  database: orFalse(database),
  /**
   * Migrations of stored documents: `createMigrations({ directory })` of `@create-api/core/migrations`.
   * @default undefined, none
   */
  migrations,
  /**
   * Work in the background: `createJobs({ jobs })` of `@create-api/jobs`.
   * @default undefined, none
   */
  jobs,
  /**
   * Authentication at `/api/v1/auth`; false for none.
   * @default {}
   */
  auth: orFalse(auth),
  /**
   * Loads the callers of routes instead of the access tokens of `auth`: those of another issuer, or a
   * session cookie. Create it with `defineAuthenticator`.
   * @default undefined, access tokens of `auth`
   */
  authenticator: code<Authenticator>(),
  /**
   * Organizations, whose members have roles in them and share documents: `createTenants()` of
   * `@create-api/core/tenants`.
   * @default false
   */
  tenants: option(orFalse(tenants), { default: false }),
  /**
   * CORS.
   * @default {}: off
   */
  cors,
  /**
   * Global rate limit; false for none.
   * @default {}
   */
  rateLimit: orFalse(rateLimit),
  /**
   * Redis, for the counters of limits. Needs the packages `redis` and `rate-limit-redis`.
   * @default {}: none
   */
  redis,
  /**
   * The document at `/openapi.json`; false for none.
   * @default {}
   */
  openapi: orFalse(openapi),
  /**
   * Application log.
   * @default {}
   */
  log,
  /**
   * Log line for each request.
   * @default {}
   */
  accessLog,
  /**
   * Metrics for Prometheus: `createMetrics()` of `@create-api/core/metrics`; false turns them off,
   * whatever the environment says.
   * @default undefined, none
   */
  metrics: orFalse(metrics),
  /**
   * Request ids.
   * @default {}
   */
  requestId,
  /**
   * Security headers.
   * @default {}
   */
  securityHeaders,
  /**
   * Health checks; false leaves `/`, `/health/live` and `/health/ready` to you.
   * @default {}
   */
  health: orFalse(health),
  /**
   * Error responses. `'pass'` passes errors on to the error handler of the app that `api.app` is
   * mounted in.
   * @default {}
   */
  errors: orLiteral(errors, 'pass'),
  /**
   * Your middleware at named places of the pipeline: `{ before: { authentication: findTenant } }`.
   * @default undefined
   */
  stages: option(parsedBy<PlacedStages, OwnStages>(parseOwnStages)),
  /**
   * Replaces `{ data, meta }` around every success: places data, meta, their members and constants.
   * @default undefined
   */
  envelope: code<Envelope>(),
}

// The options of createApi with those of authentication written in place.
export interface ApiOptions extends Omit<ApiConfig, 'auth'> {
  auth?: AuthConfig | false | undefined
}

/**
 * Options of {@link createApi}. An option that is left out has the value of its environment variable, else its
 * default.
 */
export interface ApiConfig extends Omit<Options<typeof apiOptions>, 'routes' | 'auth'> {
  /**
   * Authentication at `/api/v1/auth`: its options, or what `createAuth` has created from them; false
   * for none.
   * @default {}
   */
  auth?: AuthConfig | AuthService | false | undefined
  /**
   * Metrics for Prometheus: `createMetrics()` of `@create-api/core/metrics`; false turns them off,
   * whatever the environment says.
   * @default undefined, none
   */
  metrics?: MetricsFeature | false | undefined
  /**
   * Migrations of stored documents: `createMigrations({ directory })` of `@create-api/core/migrations`.
   * @default undefined, none
   */
  migrations?: MigrationsFeature | undefined
  /**
   * Organizations, whose members have roles in them and share documents: `createTenants()` of
   * `@create-api/core/tenants`.
   * @default false
   */
  tenants?: TenantsFeature | false | undefined
  /** The routes: `createRegistry().use('/api/posts', postsRouter)`. */
  routes: Registry
}

export interface ApiValues extends Values<typeof apiOptions> {}

// A section that users do not write: a function of another entry point creates it.
function featureOf<Value, Feature>(options: Shape): ZodType<Value, Feature> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- features/ derives both types from the options
  return section(options) as unknown as ZodType<Value, Feature>
}

// A section whose type exists already; `true` is an option that only code can provide.
function sectionOf<Input, Value = Input>(options: {
  readonly [Key in keyof Input]-?: ZodType | true
}): ZodType<Value, Input> {
  const entries: [string, ZodType | true][] = Object.entries(options)
  const shape = entries.map(([key, schema]) => [key, schema === true ? code() : schema])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the type
  return section(Object.fromEntries(shape) as Shape) as unknown as ZodType<Value, Input>
}

function parseWorkers(value: unknown): number {
  if (value === 'auto') return availableParallelism()
  const result = integer(1, 1000).safeParse(value)
  if (result.success) return result.data
  throw new TypeError('must be a whole number from 1 to 1000, or auto')
}

function parseRedisUrl(value: unknown): string {
  if (typeof value === 'string' && /^rediss?:\/\/\S+$/.test(value) && URL.canParse(value)) {
    return value
  }
  throw new TypeError('must be redis://host:6379, or rediss://host:6379 for TLS')
}

function parseStore(value: unknown): StoreChoice {
  if (value === 'memory' || value === 'mongodb' || value === 'redis') return value
  if (isStore(value)) return value
  throw new TypeError('must be memory, mongodb or redis')
}

function isStore(value: unknown): value is Store {
  return typeof value === 'object' && value !== null && 'increment' in value
}

function parseAccessLogFormat(value: unknown): string | false {
  if (value === false || value === 'off') return false
  const format = String(value)
  if (format !== 'json') compileFormat(format)
  return format
}

function parseOrigins(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const list = value.trim()
  if (list === '*') return list
  return list === '' ? [] : list.split(',').map((origin) => origin.trim())
}
