import { type AuthOptions } from '../auth/auth-options.ts'
import { type RedisConnection } from '../database/connect-redis.ts'
import { type Logger } from '../logging/logger.ts'
import { type MetricsSettings } from '../observability/metrics.ts'
import { type AccessLogOptions } from '../pipeline/access-log.ts'
import { type BodyParserOptions } from '../pipeline/body-parser.ts'
import { type CorsOptions } from '../pipeline/cors.ts'
import { type HealthOptions } from '../pipeline/health.ts'
import { type RateLimitOptions } from '../pipeline/rate-limit.ts'
import { type RequestIdOptions } from '../pipeline/request-id.ts'
import { type SecurityHeadersOptions } from '../pipeline/security-headers.ts'
import { type ErrorHandlerOptions } from '../pipeline/send-error.ts'
import { type ApiConfig } from './api-config.ts'
import { type OpenApiConfig } from './section-configs.ts'
import { type Environment } from './variables.ts'

/** The configuration in force: options, environment and defaults together. Times are in ms. */
export interface Settings {
  readonly name: string
  readonly environment: Environment
  readonly server: ServerSettings
  /** How many processes serve together on this machine. */
  readonly workers: number
  /** What Express takes as `trust proxy`. */
  readonly trustProxy: false | number | string[]
  readonly database: DatabaseSettings | false
  /** Options of `createAuth` but for its logger; lifetimes in seconds. */
  readonly auth: Omit<AuthOptions, 'logger'> | false
  /** What cursors of lists are signed with where there is no authentication; the first one signs. */
  readonly cursorSecrets: readonly string[] | undefined
  /** Connection to Redis, if hits are counted there. */
  readonly redis: RedisConnection | undefined
  readonly logger: Logger
  readonly requestId: RequestIdOptions
  readonly accessLog: AccessLogOptions
  readonly securityHeaders: SecurityHeadersOptions
  readonly cors: CorsOptions
  readonly health: HealthOptions | false
  readonly rateLimit: RateLimitOptions | false
  readonly body: BodyParserOptions
  readonly errors: ErrorHandlerOptions
  readonly envelope: ApiConfig['envelope']
  readonly openapi: OpenApiConfig | false
  readonly metrics: MetricsSettings | false
  /** What is allowed and should still be known at the start. */
  readonly warnings: readonly string[]
}

/** HTTP server, times in milliseconds. */
export interface ServerSettings {
  readonly host: string
  readonly port: number
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly drainDelay: number
  readonly shutdownTimeout: number
  readonly handlerTimeout: number | false
  readonly maxConcurrentRequests: number | false
  readonly maxEventLoopDelay: number | false
}

/** Database, times in milliseconds. */
export interface DatabaseSettings {
  readonly uri: string
  readonly name: string | undefined
  readonly maxPoolSize: number
  readonly operationTimeout: number
}
