export { getAuth } from './lib/create-auth.ts'
export {
  type DefinedRoles,
  defineRoles,
  type PermissionNames,
  type RoleNames,
} from './lib/auth/define-roles.ts'
export { type Api, createApi } from './lib/create-api.ts'
export { createServer, type ServerOptions } from './lib/create-server.ts'
export { ApiError, type ApiErrorOptions, type ErrorItem } from './lib/errors/api-error.ts'
export { type ErrorCode, type ErrorDefinition } from './lib/errors/catalogue.ts'
export { defineErrors } from './lib/errors/define-errors.ts'
export { type Problem } from './lib/errors/problem.ts'
export { type OwnStage, type OwnStages, type StageName } from './lib/http/own-stages.ts'
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
} from './lib/kernel/access.ts'
export {
  type Permission,
  type Permissions,
  type Role,
  type Roles,
  type User,
} from './lib/kernel/caller.ts'
export {
  type AuthenticatorOptions,
  defineAuthenticator,
} from './lib/kernel/define-authenticator.ts'
export { defineRoute } from './lib/kernel/define-route.ts'
export { type ConfigProblem, type Duration } from './lib/kernel/options.ts'
export {
  type ApiRequest,
  type Authenticator,
  type PresentedApiKey,
  type RequestCaller,
  type Tenant,
  type UserRequest,
} from './lib/kernel/request.ts'
export { type Envelope } from './lib/kernel/envelope.ts'
export { type OpenRoute, type ResponsesByStatus, type Route } from './lib/kernel/route.ts'
export {
  del,
  get,
  patch,
  post,
  put,
  type RouteMethod,
  type RouteMethods,
} from './lib/kernel/route-methods.ts'
export { type Scope } from './lib/kernel/scope.ts'
export { success } from './lib/kernel/success.ts'
export { getLogger, type Log } from './lib/logging/get-logger.ts'
export { type Logger, type LogLevel } from './lib/logging/logger.ts'
export {
  type BatchOptions,
  buildIndex,
  type BuildIndexOptions,
  type DeclaredStep,
  defineMigration,
  type DocumentChange,
  dropIndex,
  hideIndex,
  type IndexKeys,
  type Migration,
  type MigrationContext,
  type MigrationDefinition,
  type MigrationFunction,
  type MigrationStep,
  outsideTransaction,
  showIndex,
  updateInBatches,
} from './lib/migrations/define-migration.ts'
export { MigrationError, type MigrationErrorCode } from './lib/migrations/migration-error.ts'
export { type DoneMigration } from './lib/migrations/run-migration.ts'
export { createRouter, type Router, type RouterOptions } from './lib/routing/create-router.ts'
export { createRegistry, type Mount, type Registry } from './lib/routing/registry.ts'
export { requireAccess } from './lib/routing/require-access.ts'
export { validate } from './lib/routing/validate.ts'
export {
  type ApiConfig,
  type DatabaseConfig,
  type LogConfig,
  type MetricsConfig,
  type MigrationsConfig,
  type OpenApiConfig,
  type RateLimitConfig,
  type RedisConfig,
  type ServerConfig,
} from './lib/settings/api-options.ts'
export {
  type TenantConfig,
  type TenantRouteName,
  type TenantRoutes,
  type TenantRoutesOptions,
} from './lib/tenants/tenant-options.ts'
export { getTenants } from './lib/tenants/find-tenant.ts'
export { member, memberRole } from './lib/tenants/rules.ts'
export { type Member, type OrganizationView, type Tenants } from './lib/tenants/tenant-service.ts'
export { ConfigError } from './lib/settings/config-error.ts'
export { readEnv } from './lib/settings/read-env.ts'
export { type Settings } from './lib/settings/resolve-config.ts'
export { runMigrations, type RunMigrationsOptions } from './lib/run-migrations.ts'
export { withDatabase } from './lib/with-database.ts'
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
export {
  sendStream,
  stream,
  type StreamContext,
  type StreamOptions,
  type StreamSource,
} from './lib/streams/stream.ts'
