import { type Store } from 'express-rate-limit'
import { type AuthOptions } from '../auth/auth-options.ts'
import { type MailOptions } from '../auth/mail-delivery.ts'
import { type Logger, type LogLevel } from '../logging/logger.ts'
import { type LineStream } from '../logging/line-target.ts'
import { type ForeignProblem, type License } from '../openapi/document.ts'
import { type RateLimitOptions } from '../pipeline/rate-limit.ts'

/** A duration: seconds as a number, or text such as `15m`, `1h`, `250ms`. */
export type Duration = number | string

/** Options of the HTTP server. */
export interface ServerConfig {
  /**
   * Address to listen on (`HOST`).
   * @default '0.0.0.0'
   */
  host?: string | undefined
  /**
   * TCP port (`PORT`); 0 takes a free one.
   * @default 3000
   */
  port?: number | undefined
  /**
   * Time for the header fields of a request to arrive (`HEADERS_TIMEOUT`).
   * @default '10s'
   */
  headersTimeout?: Duration | undefined
  /**
   * Time for a whole request to arrive (`REQUEST_TIMEOUT`).
   * @default '30s'
   */
  requestTimeout?: Duration | undefined
  /**
   * Time an idle connection stays open (`KEEP_ALIVE_TIMEOUT`).
   * @default '65s'
   */
  keepAliveTimeout?: Duration | undefined
  /**
   * Time between failing readiness and closing the door (`DRAIN_DELAY`).
   * @default '5s' in production, else 0
   */
  drainDelay?: Duration | undefined
  /**
   * Time from the signal to the end of the process at the latest (`SHUTDOWN_TIMEOUT`); longer than
   * `drainDelay`. Open connections are cut then.
   * @default '10s'
   */
  shutdownTimeout?: Duration | undefined
  /**
   * Time after which a request whose handler has not begun to answer gets a 503
   * (`HANDLER_TIMEOUT`); false for none.
   * @default '30s'
   */
  handlerTimeout?: Duration | false | undefined
  /**
   * Most requests in flight in one process (`MAX_CONCURRENT_REQUESTS`); those beyond get a 503 at
   * once. Health is not refused. False for no bound.
   * @default 1000 in production, else false
   */
  maxConcurrentRequests?: number | false | undefined
  /**
   * Time by which the event loop may be late before requests get a 503 at once
   * (`MAX_EVENT_LOOP_DELAY`). Health is not refused. False for no bound.
   * @default '500ms' in production, else false
   */
  maxEventLoopDelay?: Duration | false | undefined
}

/** Options of the database. */
export interface DatabaseConfig {
  /**
   * Where the documents are kept (`MONGODB_URI`): a MongoDB server, `embedded:<folder>` or
   * `embedded:memory`.
   * @default 'embedded:.data' in development, 'embedded:memory' in tests; required in production
   */
  uri?: string | undefined
  /**
   * Name of the database.
   * @default the one in the URI, else 'app'
   */
  name?: string | undefined
  /**
   * Most connections to the database (`MONGODB_POOL_SIZE`).
   * @default 50
   */
  maxPoolSize?: number | undefined
  /**
   * Time after which one operation gives up (`MONGODB_TIMEOUT`).
   * @default '5s'
   */
  operationTimeout?: Duration | undefined
}

/** Options of mails; those of `createAuth`, each with a default. */
export interface MailConfig extends Partial<MailOptions> {
  /**
   * Server that mails are handed to (`SMTP_URL`): `smtps://user:password@smtp.example.com:465`.
   * @default undefined: kept under `.data/mail` in development, with their links printed; dropped
   * in tests; in production every mail that would be sent is an error in the log
   */
  smtpUrl?: string | undefined
  /**
   * Sender (`MAIL_FROM`); needed with `smtpUrl`.
   * @default undefined
   */
  from?: string | undefined
  /**
   * Sends the mails instead of an SMTP server.
   * @default by `smtpUrl` and `from`
   */
  mailer?: MailOptions['mailer'] | undefined
  /**
   * Address of the front end (`APP_URL`); the links lead there.
   * @default 'http://localhost:3000', in production none
   */
  appUrl?: string | undefined
}

/** Options of authentication; those of `createAuth`, with durations also as text. */
export interface AuthConfig extends Omit<
  AuthOptions,
  | 'secrets'
  | 'mail'
  | 'serviceName'
  | 'logger'
  | 'accessLifetime'
  | 'refreshIdleLifetime'
  | 'refreshAbsoluteLifetime'
  | 'refreshLeeway'
> {
  /**
   * Secrets (`JWT_SECRET`): the first signs, all are accepted.
   * @default random outside production; required in production
   */
  secrets?: readonly string[] | undefined
  /**
   * Mails with links to verify an address and to set a new password; false for an API that has no
   * routes for either.
   * @default {}
   */
  mail?: MailConfig | false | undefined
  /**
   * Lifetime of access tokens (`ACCESS_TTL`), from 1m to 1h.
   * @default '15m'
   */
  accessLifetime?: Duration | undefined
  /**
   * Time after which a session ends unless it is refreshed (`REFRESH_TTL`).
   * @default '7d'
   */
  refreshIdleLifetime?: Duration | undefined
  /**
   * Time after which a session ends in any case (`REFRESH_MAX_TTL`).
   * @default '30d'
   */
  refreshAbsoluteLifetime?: Duration | undefined
  /**
   * Time for which the direct predecessor of a refresh token is still answered
   * (`REFRESH_LEEWAY`), at most 60s.
   * @default 0
   */
  refreshLeeway?: Duration | undefined
}

/** Options of the global rate limit; those of `rateLimit`, with the window also as text. */
export interface RateLimitConfig extends Omit<
  RateLimitOptions,
  'name' | 'limit' | 'windowMs' | 'store' | 'logger'
> {
  /**
   * Requests for each client and window (`RATE_LIMIT`).
   * @default 300
   */
  limit?: number | undefined
  /**
   * Length of the window (`RATE_LIMIT_WINDOW`).
   * @default '60s'
   */
  window?: Duration | undefined
  /**
   * Where hits are counted (`RATE_LIMIT_STORE`), those of authentication too: `memory` of each
   * process, `mongodb` or `redis` for all processes together, or a store of express-rate-limit for
   * the global limit.
   * @default 'redis' with `redis.url`, else 'memory'
   */
  store?: 'memory' | 'mongodb' | 'redis' | Store | undefined
}

/** Options of the metrics: they are on when there is a port or a token. */
export interface MetricsConfig {
  /**
   * A port of their own (`METRICS_PORT`); 0 takes a free one.
   * @default undefined: served by the API itself
   */
  port?: number | undefined
  /**
   * Bearer token of the one who may read (`METRICS_TOKEN`), at least 16 characters; needed without
   * a port of their own.
   * @default undefined
   */
  token?: string | undefined
  /**
   * Where they are served (`METRICS_PATH`).
   * @default '/metrics'
   */
  path?: string | undefined
}

/** Options of Redis. */
export interface RedisConfig {
  /**
   * Where it is (`REDIS_URL`): `redis://host:6379`, or `rediss://` for TLS. Hits are then counted
   * there, unless `rateLimit.store` says otherwise.
   * @default undefined
   */
  url?: string | undefined
}

/** Options of the application's log. */
export interface LogConfig {
  /**
   * The least level that is written (`LOG_LEVEL`).
   * @default 'info', in tests 'error'
   */
  level?: LogLevel | undefined
  /**
   * One JSON object per line, or text for people (`LOG_FORMAT`).
   * @default 'json' in production, else 'text'
   */
  format?: 'json' | 'text' | undefined
  /**
   * Where the lines go, those of the access log too.
   * @default standard output
   */
  stream?: LineStream | undefined
  /**
   * Replaces the logger, for example by one of pino; level, format and stream are then its own.
   * @default undefined
   */
  logger?: Logger | undefined
}

/** What the OpenAPI document says about the API as a whole. */
export interface OpenApiConfig {
  /**
   * Title of the document.
   * @default the name of the API
   */
  title?: string | undefined
  /**
   * Version of the API, as semver.
   * @default '1.0.0'
   */
  version?: string | undefined
  /**
   * What the API is for; Markdown.
   * @default undefined
   */
  description?: string | undefined
  /**
   * Addresses the API is served at.
   * @default ['/'], the host the document came from
   */
  servers?: readonly string[] | undefined
  /**
   * Under which terms the API may be used: a name with an SPDX identifier or an address.
   * @default { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
   */
  license?: License | undefined
  /**
   * What an error looks like, where `errors.format` makes other bodies than problems (RFC 9457).
   * @default application/problem+json
   */
  problem?: ForeignProblem | undefined
}
