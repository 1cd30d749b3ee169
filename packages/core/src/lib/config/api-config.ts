import { type AccessLogOptions } from '../pipeline/access-log.ts'
import { type BodyParserOptions } from '../pipeline/body-parser.ts'
import { type CorsOptions } from '../pipeline/cors.ts'
import { type HealthOptions } from '../pipeline/health.ts'
import { type RequestIdOptions } from '../pipeline/request-id.ts'
import { type SecurityHeadersOptions } from '../pipeline/security-headers.ts'
import { type ErrorHandlerOptions } from '../pipeline/send-error.ts'
import { type Registry } from '../routing/registry.ts'
import { type Environment } from './variables.ts'
import {
  type ServerConfig,
  type DatabaseConfig,
  type AuthConfig,
  type RateLimitConfig,
  type MetricsConfig,
  type RedisConfig,
  type LogConfig,
  type OpenApiConfig,
} from './section-configs.ts'

/** Options of `createApi`. What an option leaves open, the environment decides. */
export interface ApiConfig {
  /** The routes: `createRegistry().use('/api/posts', postsRouter)`. */
  routes: Registry
  /**
   * Name of the service; issuer and audience of its tokens, and title of its document.
   * @default 'api'
   */
  name?: string | undefined
  /**
   * Where the service runs (`NODE_ENV`).
   * @default 'development'
   */
  environment?: Environment | undefined
  /**
   * HTTP server.
   * @default {}
   */
  server?: ServerConfig | undefined
  /**
   * Which proxies are believed about the client's address (`TRUST_PROXY`): how many stand in
   * front, or their networks.
   * @default false
   */
  trustProxy?: false | number | string | readonly string[] | undefined
  /**
   * Database; false for an API without one.
   * @default {}
   */
  database?: DatabaseConfig | false | undefined
  /**
   * Authentication at `/api/v1/auth`; false for none.
   * @default {}
   */
  auth?: AuthConfig | false | undefined
  /**
   * Request ids.
   * @default {}
   */
  requestId?: RequestIdOptions | undefined
  /**
   * Application log.
   * @default {}
   */
  log?: LogConfig | undefined
  /**
   * Line for each request (`ACCESS_LOG`).
   * @default 'json' in production, 'dev' in development, none in tests
   */
  accessLog?: AccessLogOptions | undefined
  /**
   * Security headers.
   * @default {}
   */
  securityHeaders?: SecurityHeadersOptions | undefined
  /**
   * CORS (`CORS_ORIGINS`).
   * @default {}: off
   */
  cors?: CorsOptions | undefined
  /**
   * Health checks; false leaves `/`, `/health/live` and `/health/ready` to you.
   * @default {}
   */
  health?: HealthOptions | false | undefined
  /**
   * Global rate limit; false for none.
   * @default {}
   */
  rateLimit?: RateLimitConfig | false | undefined
  /**
   * Metrics for Prometheus; false for none whatever the environment says. Needs the package
   * `prom-client`.
   * @default {}: off
   */
  metrics?: MetricsConfig | false | undefined
  /**
   * Redis, for the counts of limits (`REDIS_URL`). Needs the packages `redis` and
   * `rate-limit-redis`.
   * @default undefined: none
   */
  redis?: RedisConfig | undefined
  /**
   * How many processes serve together (`INSTANCES`); more than one needs a shared store.
   * @default 1
   */
  instances?: number | undefined
  /**
   * How many processes serve the port together (`WORKERS`), started and looked after by the first
   * one; `auto` is one for each processor.
   * @default 1
   */
  workers?: number | 'auto' | undefined
  /**
   * JSON bodies (`BODY_LIMIT`).
   * @default {}
   */
  body?: Omit<BodyParserOptions, 'types'> | undefined
  /**
   * Error answers.
   * @default {}
   */
  errors?: Omit<ErrorHandlerOptions, 'logger'> | undefined
  /**
   * Replaces `{ data, meta }` around every success.
   * @default undefined
   */
  envelope?: ((data: unknown, meta: unknown) => unknown) | undefined
  /**
   * The document at `/openapi.json`; false for none.
   * @default {}
   */
  openapi?: OpenApiConfig | false | undefined
}
