// The groups are the topics of the API reference: a comment names the topic and its guides.

// Application: docs/architecture.md, docs/express.md
export { type Api, createApi } from './lib/create-api.ts'
export { createServer, type ServerOptions } from './lib/create-server.ts'
export { withDatabase } from './lib/with-database.ts'
export { type Started, type StartOptions } from './lib/lifecycle/start-stop.ts'

// Configuration: docs/configuration.md
export { readEnv } from './lib/settings/read-env.ts'
export { ConfigError } from './lib/settings/config-error.ts'
export {
  type ApiConfig,
  type DatabaseConfig,
  type LogConfig,
  type OpenApiConfig,
  type RateLimitConfig,
  type RedisConfig,
  type ServerConfig,
} from './lib/settings/api-options.ts'
export { type OpenApiWebhook } from './lib/openapi/webhooks.ts'
export { type ConfigProblem, type Duration } from './lib/options/options.ts'
export { type Settings } from './lib/settings/resolve-config.ts'

// Routes: docs/resources.md#routes
export { createRegistry, type Mount, type Registry } from './lib/routing/registry.ts'
export { createRouter, type Router, type RouterOptions } from './lib/routing/create-router.ts'
export {
  del,
  get,
  patch,
  post,
  put,
  type RouteMethod,
  type RouteMethods,
} from './lib/route/route-methods.ts'
export { defineRoute } from './lib/route/define-route.ts'
export { type Deprecation } from './lib/route/deprecation.ts'
export { type OpenRoute, type ResponsesByStatus, type Route } from './lib/route/route.ts'
export { validate } from './lib/routing/validate.ts'

// Requests and responses: docs/resources.md#schemas, docs/own-shapes.md
export { success } from './lib/response/success.ts'
export { type ApiResponse, type Sendable } from './lib/response/sendable.ts'
export { type Envelope } from './lib/response/envelope.ts'
export {
  type ApiRequest,
  type PresentedApiKey,
  type RequestCaller,
  type Tenant,
  type UserRequest,
} from './lib/route/request.ts'

// Access rules: docs/access.md
export {
  type Access,
  type AccessFilter,
  all,
  any,
  type Decision,
  defineRule,
  permission,
  role,
  type Rule,
  type RuleForm,
  type RuleOptions,
} from './lib/access/access.ts'
export { fresh } from './lib/access/fresh.ts'
export { multiFactor } from './lib/access/multi-factor.ts'
export { requireAccess } from './lib/routing/require-access.ts'
export {
  type DefinedRoles,
  defineRoles,
  type PermissionNames,
  type RoleNames,
} from './lib/auth/users/define-roles.ts'
export {
  type Permission,
  type Permissions,
  type Role,
  type Roles,
  type User,
} from './lib/access/caller.ts'
export { type Scope } from './lib/access/scope.ts'

// Callers: docs/auth.md#other-callers
export { getAuth } from './lib/create-auth.ts'
export {
  type AuthenticatorOptions,
  defineAuthenticator,
} from './lib/auth/service/define-authenticator.ts'
export { type Authenticator } from './lib/route/request.ts'

// Errors: docs/errors.md
export { ApiError, type ApiErrorOptions, type ErrorItem } from './lib/errors/api-error.ts'
export { defineErrors } from './lib/errors/define-errors.ts'
export { type ErrorCode, type ErrorDefinition } from './lib/errors/catalogue.ts'
export { type Problem } from './lib/errors/problem.ts'

// Uploads: docs/uploads-and-streams.md#uploads
export {
  type FileInfo,
  type FileRules,
  multipart,
  type MultipartBody,
  type MultipartOptions,
  type StoredFile,
  type TemporaryFile,
  type UploadSink,
  type UploadTarget,
} from './lib/uploads/multipart.ts'

// Streams: docs/uploads-and-streams.md#streams
export {
  sendStream,
  stream,
  type StreamContext,
  type StreamOptions,
  type StreamSource,
} from './lib/streams/stream.ts'

// Server-sent events: docs/uploads-and-streams.md#server-sent-events
export {
  type EventContext,
  type EventOptions,
  events,
  type EventsSchema,
  type EventStream,
  openEvents,
  sendEvents,
  type ServerEvent,
} from './lib/streams/events.ts'

// Logging: docs/observability.md#the-application-log
export { getLogger, type Log } from './lib/logging/get-logger.ts'
export { type Logger, type LogLevel } from './lib/logging/logger.ts'

// Your stages: docs/pipeline.md#your-middleware-in-the-pipeline
export { type OwnStage, type OwnStages } from './lib/http/own-stages.ts'
export { type StageName } from './lib/stage/stage-names.ts'
