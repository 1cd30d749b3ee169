import { availableParallelism } from 'node:os'
import { type Store } from 'express-rate-limit'
import { type ZodType } from 'zod'
import { type CorsOptions } from '../pipeline/cors.ts'
import { authVariables } from './auth-variables.ts'
import { parseTrustProxy } from './parse-trust-proxy.ts'
import { duration, integer, limit, oneOf, orOff, parsedBy, size, text } from './variable-types.ts'

/** Where a service runs. */
export type Environment = 'development' | 'test' | 'production'

/** One variable of the environment. */
export interface Variable<T = unknown> {
  /** The option that says the same in code; it wins over the variable. */
  readonly option: string
  /** What it means. */
  readonly meaning: string
  /** Reads and checks it. */
  readonly schema: ZodType<T>
  /**
   * What holds when neither is given, as it would be written in the environment.
   * @default undefined (nothing)
   */
  readonly fallback?: string | Readonly<Record<Environment, string | undefined>> | undefined
  /**
   * Whether it must not be shown.
   * @default false
   */
  readonly secret?: boolean | undefined
  /**
   * For `.env.example`, when the default says too little.
   * @default the default
   */
  readonly example?: string | undefined
}

/** Every variable that the framework reads: the source of the checks and of the documentation. */
export const variables = {
  NODE_ENV: {
    option: 'environment',
    meaning: 'Where the service runs. Anything that serves real users is `production`.',
    schema: oneOf(['development', 'test', 'production']),
    fallback: 'development',
  },
  HOST: {
    option: 'server.host',
    meaning: 'Address to listen on; `127.0.0.1` is this machine only.',
    schema: text(),
    fallback: '0.0.0.0',
  },
  PORT: {
    option: 'server.port',
    meaning: 'TCP port to listen on; `0` takes a free one.',
    schema: integer([0, 65_535]),
    fallback: '3000',
  },
  TRUST_PROXY: {
    option: 'trustProxy',
    meaning:
      'Which proxies are believed about the address of the client: how many stand in front, or their networks.',
    schema: parsedBy(parseTrustProxy),
    fallback: 'off',
    example: '1',
  },
  HEADERS_TIMEOUT: {
    option: 'server.headersTimeout',
    meaning: 'Time for the header fields of a request to arrive.',
    schema: duration(['1s', '10m']),
    fallback: '10s',
  },
  REQUEST_TIMEOUT: {
    option: 'server.requestTimeout',
    meaning: 'Time for a whole request to arrive.',
    schema: duration(['1s', '1h']),
    fallback: '30s',
  },
  KEEP_ALIVE_TIMEOUT: {
    option: 'server.keepAliveTimeout',
    meaning:
      'Time an idle connection stays open; longer than the idle time of a balancer in front.',
    schema: duration(['1s', '1h']),
    fallback: '65s',
  },
  DRAIN_DELAY: {
    option: 'server.drainDelay',
    meaning: 'Time between failing readiness and closing the door, for balancers to notice.',
    schema: duration(['0s', '5m']),
    fallback: { production: '5s', development: '0s', test: '0s' },
  },
  SHUTDOWN_TIMEOUT: {
    option: 'server.shutdownTimeout',
    meaning:
      'Time from the signal to the end of the process at the latest; longer than DRAIN_DELAY. Open connections are cut then.',
    schema: duration(['100ms', '10m']),
    fallback: '10s',
  },
  HANDLER_TIMEOUT: {
    option: 'server.handlerTimeout',
    meaning:
      'Time after which a request whose handler has not begun to answer gets a 503; `off` for none.',
    schema: orOff(duration(['1s', '1h'])),
    fallback: '30s',
  },
  MAX_CONCURRENT_REQUESTS: {
    option: 'server.maxConcurrentRequests',
    meaning:
      'Most requests in flight in one process; those beyond get a 503 at once. `off` for no bound.',
    schema: limit(1_000_000),
    fallback: { production: '1000', development: 'off', test: 'off' },
  },
  MAX_EVENT_LOOP_DELAY: {
    option: 'server.maxEventLoopDelay',
    meaning:
      'Time by which the event loop may be late before requests get a 503 at once; `off` for no bound.',
    schema: orOff(duration(['10ms', '1m'])),
    fallback: { production: '500ms', development: 'off', test: 'off' },
  },
  WORKERS: {
    option: 'workers',
    meaning:
      'How many processes serve the port together, started and looked after by the first one; `auto` is one for each processor.',
    schema: parsedBy(parseWorkers),
    fallback: '1',
  },
  BODY_LIMIT: {
    option: 'body.limit',
    meaning: 'Largest JSON body, also after inflating.',
    schema: size(),
    fallback: '100kb',
  },
  MONGODB_URI: {
    option: 'database.uri',
    meaning:
      'Where the documents are kept: a MongoDB server, `embedded:<folder>` or `embedded:memory`. Required in production.',
    schema: parsedBy(parseDatabaseAddress),
    fallback: { production: undefined, development: 'embedded:.data', test: 'embedded:memory' },
    secret: true,
    example: 'mongodb://localhost:27017/app?replicaSet=rs0',
  },
  MONGODB_POOL_SIZE: {
    option: 'database.maxPoolSize',
    meaning: 'Most connections to the database.',
    schema: integer([1, 1000]),
    fallback: '50',
  },
  MONGODB_TIMEOUT: {
    option: 'database.operationTimeout',
    meaning: 'Time after which one operation of the database gives up.',
    schema: duration(['100ms', '10m']),
    fallback: '5s',
  },
  ...authVariables,
  CORS_ORIGINS: {
    option: 'cors.origins',
    meaning:
      'Origins whose scripts may read answers, separated by commas; none by default, `*` is everyone.',
    schema: parsedBy(parseOrigins),
    fallback: '',
    example: 'https://app.example.com',
  },
  RATE_LIMIT: {
    option: 'rateLimit.limit',
    meaning: 'Requests for each client and window; `off` for no limit.',
    schema: limit(1_000_000_000),
    fallback: '300',
  },
  RATE_LIMIT_WINDOW: {
    option: 'rateLimit.window',
    meaning: 'Window of RATE_LIMIT.',
    schema: duration(['1s', '1d']),
    fallback: '60s',
  },
  RATE_LIMIT_STORE: {
    option: 'rateLimit.store',
    meaning:
      'Where hits are counted, those of authentication too: `memory` of each process, or `mongodb` or `redis` for all processes together; `redis` with REDIS_URL, else `memory`.',
    schema: parsedBy(parseStore),
    example: 'memory',
  },
  REDIS_URL: {
    option: 'redis.url',
    meaning:
      'Redis that counts hits for all processes together, `rediss://` with TLS. Needs the packages `redis` and `rate-limit-redis`.',
    schema: parsedBy(parseRedisUrl),
    secret: true,
    example: 'redis://localhost:6379',
  },
  INSTANCES: {
    option: 'instances',
    meaning: 'How many processes serve together; more than one needs RATE_LIMIT_STORE=mongodb.',
    schema: integer([1, 100_000]),
    fallback: '1',
  },
  LOG_LEVEL: {
    option: 'log.level',
    meaning: 'The least level that is logged.',
    schema: oneOf(['debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    fallback: { production: 'info', development: 'info', test: 'error' },
  },
  LOG_FORMAT: {
    option: 'log.format',
    meaning: 'One JSON object per line, or text for people.',
    schema: oneOf(['json', 'text']),
    fallback: { production: 'json', development: 'text', test: 'text' },
  },
  ACCESS_LOG: {
    option: 'accessLog.format',
    meaning:
      'The line for each request: `json`, a format of morgan such as `dev` or `combined`, or `off`.',
    schema: parsedBy((value) => (value === false || value === 'off' ? false : String(value))),
    fallback: { production: 'json', development: 'dev', test: 'off' },
  },
  METRICS_PORT: {
    option: 'metrics.port',
    meaning:
      'Serves metrics for Prometheus on a port of their own, which the world must not reach. Needs the package `prom-client`.',
    schema: integer([0, 65_535]),
    example: '9464',
  },
  METRICS_TOKEN: {
    option: 'metrics.token',
    meaning:
      'Who may read the metrics: the bearer token. Without METRICS_PORT they are served at METRICS_PATH of the API.',
    schema: parsedBy(parseMetricsToken),
    secret: true,
    example: '',
  },
  METRICS_PATH: {
    option: 'metrics.path',
    meaning: 'Path of the metrics.',
    schema: parsedBy(parsePath),
    fallback: '/metrics',
  },
} as const satisfies Record<string, Variable>

/** Name of a variable. */
export type VariableName = keyof typeof variables

function parseDatabaseAddress(value: unknown): string {
  if (typeof value === 'string' && /^(?:mongodb(?:\+srv)?:\/\/|embedded:)\S+$/.test(value)) {
    return value
  }
  throw new TypeError('must be mongodb://…, mongodb+srv://…, embedded:<folder> or embedded:memory')
}

function parseWorkers(value: unknown): number {
  if (value === 'auto') return availableParallelism()
  const result = integer([1, 1000]).safeParse(value)
  if (result.success) return result.data
  throw new TypeError('must be a whole number from 1 to 1000, or auto')
}

function parseMetricsToken(value: unknown): string {
  if (typeof value === 'string' && /^[\w.~+/-]{16,}=*$/.test(value)) return value
  throw new TypeError('must be 16 characters or more of a bearer token: openssl rand -base64 32')
}

function parsePath(value: unknown): string {
  if (typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value)) return value
  throw new TypeError('must be a path such as /metrics')
}

function parseRedisUrl(value: unknown): string {
  if (typeof value === 'string' && /^rediss?:\/\/\S+$/.test(value) && URL.canParse(value))
    return value
  throw new TypeError('must be redis://host:6379, or rediss://host:6379 for TLS')
}

// In code it can also be a store of express-rate-limit.
function parseStore(value: unknown): 'memory' | 'mongodb' | 'redis' | Store {
  if (value === 'memory' || value === 'mongodb' || value === 'redis') return value
  if (isStore(value)) return value
  throw new TypeError('must be memory, mongodb or redis')
}

function isStore(value: unknown): value is Store {
  return typeof value === 'object' && value !== null && 'increment' in value
}

// Options can also be a list or a function; the cors stage checks them.
function parseOrigins(value: unknown): NonNullable<CorsOptions['origins']> {
  if (typeof value === 'string' && value.trim() !== '*') {
    return value.trim() === '' ? [] : value.split(',').map((origin) => origin.trim())
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the cors stage refuses the rest
  return (typeof value === 'string' ? '*' : value) as NonNullable<CorsOptions['origins']>
}
