import { closestName } from './closest-name.ts'
import { type ApiConfig } from './api-config.ts'
import {
  type AuthConfig,
  type DatabaseConfig,
  type LogConfig,
  type MetricsConfig,
  type OpenApiConfig,
  type RateLimitConfig,
  type RedisConfig,
  type ServerConfig,
} from './section-configs.ts'

type Keys<T> = Readonly<Record<keyof T, true>>
type Group =
  | 'server'
  | 'database'
  | 'redis'
  | 'metrics'
  | 'auth'
  | 'log'
  | 'rateLimit'
  | 'openapi'
  | StageGroup
type StageGroup =
  | 'requestId'
  | 'accessLog'
  | 'securityHeaders'
  | 'cors'
  | 'health'
  | 'body'
  | 'errors'

/** The options of one group, whatever else it may be set to. */
type Options<K extends StageGroup> = Exclude<NonNullable<ApiConfig[K]>, false>

// The compiler refuses this object when an interface gains an option that is missing here.
const groups = {
  server: {
    host: true,
    port: true,
    headersTimeout: true,
    requestTimeout: true,
    keepAliveTimeout: true,
    drainDelay: true,
    shutdownTimeout: true,
    handlerTimeout: true,
    maxConcurrentRequests: true,
    maxEventLoopDelay: true,
  } satisfies Keys<ServerConfig>,
  database: {
    uri: true,
    name: true,
    maxPoolSize: true,
    operationTimeout: true,
  } satisfies Keys<DatabaseConfig>,
  auth: {
    secrets: true,
    signingKeys: true,
    scheme: true,
    issuer: true,
    audience: true,
    accessLifetime: true,
    refreshIdleLifetime: true,
    refreshAbsoluteLifetime: true,
    refreshLeeway: true,
    overlapSkew: true,
    clockTolerance: true,
    stateless: true,
    tokenCacheSize: true,
    sessionsPerUser: true,
    password: true,
    limits: true,
    connection: true,
    modelPrefix: true,
    users: true,
    mail: true,
    hideRegistered: true,
    cookies: true,
    userFields: true,
    claims: true,
    hooks: true,
    onEvent: true,
    now: true,
  } satisfies Keys<AuthConfig>,
  metrics: { port: true, path: true, token: true } satisfies Keys<MetricsConfig>,
  redis: { url: true } satisfies Keys<RedisConfig>,
  log: { level: true, format: true, stream: true, logger: true } satisfies Keys<LogConfig>,
  rateLimit: {
    limit: true,
    window: true,
    key: true,
    skip: true,
    failuresOnly: true,
    store: true,
    onStoreFailure: true,
    storeTimeoutMs: true,
    now: true,
  } satisfies Keys<RateLimitConfig>,
  openapi: {
    title: true,
    version: true,
    description: true,
    servers: true,
    license: true,
    problem: true,
  } satisfies Keys<OpenApiConfig>,
  requestId: { trust: true, generate: true } satisfies Keys<Options<'requestId'>>,
  accessLog: { format: true, stream: true, skip: true } satisfies Keys<Options<'accessLog'>>,
  securityHeaders: { hsts: true, resourcePolicy: true, helmet: true } satisfies Keys<
    Options<'securityHeaders'>
  >,
  cors: {
    origins: true,
    credentials: true,
    methods: true,
    allowedHeaders: true,
    exposedHeaders: true,
    maxAge: true,
  } satisfies Keys<Options<'cors'>>,
  health: { checks: true, isDraining: true, timeoutMs: true, cacheMs: true } satisfies Keys<
    Options<'health'>
  >,
  body: { limit: true, maxDepth: true } satisfies Keys<Options<'body'>>,
  errors: { problemBase: true, realm: true, format: true } satisfies Keys<Options<'errors'>>,
} as const satisfies Readonly<Record<Group, Readonly<Record<string, true>>>>

const plain = {
  routes: true,
  name: true,
  environment: true,
  trustProxy: true,
  instances: true,
  workers: true,
  envelope: true,
} as const satisfies Keys<Omit<ApiConfig, Group>>

/**
 * Refuses options that do not exist, for whoever has no compiler to do it.
 * @param config - the options of `createApi`
 * @throws TypeError that names each of them and the nearest that exists
 */
export function requireKnownOptions(config: ApiConfig): void {
  if (typeof config !== 'object' || config === null) {
    throw new TypeError('createApi() needs its options: createApi({ routes }).')
  }
  const problems = findUnknown(config, [...Object.keys(plain), ...Object.keys(groups)], '')
  for (const [group, keys] of Object.entries(groups)) {
    const options: unknown = Reflect.get(config, group)
    if (typeof options !== 'object' || options === null) continue
    problems.push(...findUnknown(options, Object.keys(keys), `${group}.`))
  }
  if (problems.length > 0) throw new TypeError(problems.join(' '))
}

function findUnknown(options: object, known: readonly string[], prefix: string): string[] {
  return Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = closestName(key, known)
      const hint =
        near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${prefix}${near}?`
      return `createApi() has no option ${prefix}${key}. ${hint}`
    })
}
