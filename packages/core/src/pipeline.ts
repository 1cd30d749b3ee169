// The groups are the topics of the API reference: a comment names the topic and its guides.

// Stages: docs/pipeline.md#stages-in-an-express-app
export { requestId, type RequestIdOptions } from './lib/http/request-id.ts'
export { accessLog, type AccessLogOptions } from './lib/http/access-log.ts'
export { createInFlight, type InFlight, type InFlightOptions } from './lib/http/in-flight.ts'
export { securityHeaders, type SecurityHeadersOptions } from './lib/http/security-headers.ts'
export { framing } from './lib/http/framing.ts'
export { cors, type CorsOptions } from './lib/http/cors.ts'
export { health, type HealthCheck, type HealthOptions } from './lib/http/health.ts'
export { overload, type OverloadOptions } from './lib/http/overload.ts'
export { rateLimit, type RateLimitOptions } from './lib/limits/rate-limit.ts'
export { authentication } from './lib/http/authentication.ts'
export { bodyParser, type BodyParserOptions } from './lib/http/body-parser.ts'
export {
  errorHandler,
  type ErrorHandlerOptions,
  type FormattedError,
} from './lib/http/error-handler.ts'

// Writing a stage: docs/pipeline.md#your-own-stage
export {
  composeStages,
  createStage,
  ended,
  type Stage,
  type Step,
  type StepResult,
  toStage,
} from './lib/stage/stage.ts'

// Stores of rate limits: docs/observability.md#shared-rate-limits
export { createMongoStore, type MongoStoreOptions } from './lib/limits/mongo-store.ts'
export { createRedisStore, type RedisStoreOptions } from './lib/limits/redis-store.ts'

// Logging: docs/observability.md#the-application-log
export { createLogger, type LoggerOptions } from './lib/logging/create-logger.ts'
export { createLogMixin, type LogMethod } from './lib/logging/get-logger.ts'
export { type LogFields } from './lib/logging/logger.ts'
