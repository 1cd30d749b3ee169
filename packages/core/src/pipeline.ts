export { accessLog, type AccessLogOptions } from './lib/http/access-log.ts'
export { authentication } from './lib/http/authentication.ts'
export { bodyParser, type BodyParserOptions } from './lib/http/body-parser.ts'
export { cors, type CorsOptions } from './lib/http/cors.ts'
export {
  errorHandler,
  type ErrorHandlerOptions,
  type FormattedError,
} from './lib/http/error-handler.ts'
export { framing } from './lib/http/framing.ts'
export { health, type HealthCheck, type HealthOptions } from './lib/http/health.ts'
export { createInFlight, type InFlight, type InFlightOptions } from './lib/http/in-flight.ts'
export { overload, type OverloadOptions } from './lib/http/overload.ts'
export { requestId, type RequestIdOptions } from './lib/http/request-id.ts'
export { securityHeaders, type SecurityHeadersOptions } from './lib/http/security-headers.ts'
export {
  composeStages,
  createStage,
  type Stage,
  type Step,
  toStage,
  ended,
  type StepResult,
} from './lib/kernel/stage.ts'
export { createMongoStore, type MongoStoreOptions } from './lib/limits/mongo-store.ts'
export { rateLimit, type RateLimitOptions } from './lib/limits/rate-limit.ts'
export { createRedisStore, type RedisStoreOptions } from './lib/limits/redis-store.ts'
export { createLogger, type LoggerOptions } from './lib/logging/create-logger.ts'
export { createLogMixin, type LogMethod } from './lib/logging/get-logger.ts'
export { type LogFields } from './lib/logging/logger.ts'
