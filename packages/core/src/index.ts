export { type AuthLimits } from './lib/auth/auth-limits.ts'
export { type AuthOptions, type PasswordOptions } from './lib/auth/auth-options.ts'
export { type Claims, type ClaimsOptions } from './lib/auth/claims.ts'
export { type Auth, createAuth } from './lib/auth/create-auth.ts'
export { type AuthHooks } from './lib/auth/hooks.ts'
export { type SigningKey } from './lib/auth/keys.ts'
export { type MailOptions } from './lib/auth/mail-delivery.ts'
export { type Mail, type Mailer } from './lib/auth/mailer.ts'
export { createOutboxMailer, type OutboxMailerOptions } from './lib/auth/outbox-mailer.ts'
export { type PasswordHasher } from './lib/auth/password-hasher.ts'
export { type CookieOptions } from './lib/auth/refresh-transport.ts'
export { type SecurityEvent, type SecurityEventName } from './lib/auth/security-events.ts'
export { createSmtpMailer, type SmtpMailerOptions } from './lib/auth/smtp-mailer.ts'
export { type UserFields } from './lib/auth/user-fields.ts'
export { type StoredUser, type UserStore } from './lib/auth/user-store.ts'
export { type ApiConfig } from './lib/config/api-config.ts'
export { ConfigError, type ConfigProblem } from './lib/config/config-error.ts'
export { describeEnvironment, type VariableState } from './lib/config/describe-environment.ts'
export { type EnvironmentRow, environmentTable } from './lib/config/environment-table.ts'
export { readEnv } from './lib/config/read-env.ts'
export {
  type AuthConfig,
  type DatabaseConfig,
  type Duration,
  type LogConfig,
  type MetricsConfig,
  type MailConfig,
  type OpenApiConfig,
  type RateLimitConfig,
  type RedisConfig,
  type ServerConfig,
} from './lib/config/section-configs.ts'
export { type Settings } from './lib/config/settings.ts'
export { type Api, createApi } from './lib/create-api.ts'
export { createServer, type ServerOptions } from './lib/create-server.ts'
export { withDatabase } from './lib/database/with-database.ts'
export { ApiError, type ApiErrorOptions, type ErrorItem } from './lib/errors/api-error.ts'
export { type ErrorCode } from './lib/errors/catalogue.ts'
export { type Problem } from './lib/errors/problem.ts'
export { createLogger, type LoggerOptions } from './lib/logging/create-logger.ts'
export { createLogMixin, getLogger, type Log, type LogMethod } from './lib/logging/get-logger.ts'
export { type LogFields, type Logger, type LogLevel } from './lib/logging/logger.ts'
export { accessLog, type AccessLogOptions } from './lib/pipeline/access-log.ts'
export { authentication } from './lib/pipeline/authentication.ts'
export { bodyParser, type BodyParserOptions } from './lib/pipeline/body-parser.ts'
export { cors, type CorsOptions } from './lib/pipeline/cors.ts'
export { errorHandler } from './lib/pipeline/error-handler.ts'
export { framing } from './lib/pipeline/framing.ts'
export { health, type HealthCheck, type HealthOptions } from './lib/pipeline/health.ts'
export { createInFlight, type InFlight, type InFlightOptions } from './lib/pipeline/in-flight.ts'
export { createMongoStore, type MongoStoreOptions } from './lib/pipeline/mongo-store.ts'
export { overload, type OverloadOptions } from './lib/pipeline/overload.ts'
export { rateLimit, type RateLimitOptions } from './lib/pipeline/rate-limit.ts'
export { createRedisStore, type RedisStoreOptions } from './lib/pipeline/redis-store.ts'
export { requestId, type RequestIdOptions } from './lib/pipeline/request-id.ts'
export { securityHeaders, type SecurityHeadersOptions } from './lib/pipeline/security-headers.ts'
export { type ErrorHandlerOptions, type FormattedError } from './lib/pipeline/send-error.ts'
export { composeStages, createStage, type Stage, type Step, toStage } from './lib/pipeline/stage.ts'
export { idempotency } from './lib/resource/idempotency.ts'
export {
  defineListQuery,
  type ListQuery,
  type ListQueryOptions,
  type Sort,
} from './lib/resource/list-query.ts'
export { decimal, type DecimalField, type DecimalOptions } from './lib/resource/decimal.ts'
export { findPage, type Page } from './lib/resource/find-page.ts'
export {
  type Included,
  type IncludeOptions,
  includeReferences,
} from './lib/resource/include-references.ts'
export { type OutputShape, toOutputSchema } from './lib/resource/output-schema.ts'
export { patchDocument, type PatchOptions } from './lib/resource/patch-document.ts'
export { type PatchShape, toPatchSchema } from './lib/resource/patch-schema.ts'
export { type ReferenceOptions, requireReferences } from './lib/resource/require-references.ts'
export {
  type IdParams,
  idParams,
  instant,
  integerId,
  type ListMeta,
  listMeta,
  objectId,
} from './lib/resource/schemas.ts'
export {
  createSerializer,
  type Serializer,
  type SerializerOptions,
} from './lib/resource/serializer.ts'
export { toMergePatch, toReplacement, type Update } from './lib/resource/update.ts'
export {
  type IfMatch,
  parseIfMatch,
  rejectMiss,
  requireFound,
  setCreated,
  setEtag,
} from './lib/resource/version.ts'
export { type Stored, type StoredFields, versioned } from './lib/resource/versioned.ts'
export {
  defineView,
  type Include,
  toProjection,
  type View,
  type ViewOptions,
  type ViewQuery,
} from './lib/resource/view.ts'
export { type Access, type AccessRule } from './lib/routing/access.ts'
export { type Roles, type User } from './lib/routing/caller.ts'
export { createRouter, type Router, type RouterOptions } from './lib/routing/create-router.ts'
export { defineRoute } from './lib/routing/define-route.ts'
export { createRegistry, type Mount, type Registry } from './lib/routing/registry.ts'
export { type ApiRequest, type UserRequest } from './lib/routing/request.ts'
export { requireAccess } from './lib/routing/require-access.ts'
export { type Envelope, type Route } from './lib/routing/route.ts'
export { success } from './lib/routing/success.ts'
export { validate } from './lib/routing/validate.ts'
