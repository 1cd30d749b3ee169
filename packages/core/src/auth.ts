// The groups are the topics of the API reference: a comment names the topic and its guides.

// Authentication: docs/auth.md
export { type Auth, createAuth, getAuth } from './lib/create-auth.ts'
export { type AuthService, type ResetPasswordInput } from './lib/auth/auth-service.ts'
export {
  type CreateUserInput,
  type LoginInput,
  type RegisterInput,
} from './lib/auth/account-service.ts'
export { type ChangeEmailInput } from './lib/auth/email-service.ts'
export { type ChangePasswordInput } from './lib/auth/password-service.ts'
export { type AuthGrant } from './lib/auth/grant.ts'
export { type AuthRequest, type RequestFacts } from './lib/auth/request-facts.ts'

// Options: docs/auth.md#options
export {
  type ApiKeyOptions,
  type AuthConfig,
  type AuthLimits,
  type AuthOptions,
  type LimitOptions,
  type MailConfig,
  type PasswordOptions,
} from './lib/auth/auth-options.ts'
export { type CookieOptions } from './lib/auth/refresh-transport.ts'
export { type SigningKey } from './lib/auth/keys.ts'
export { type Claims, type ClaimsOptions } from './lib/auth/claims.ts'
export {
  type AuthRouteName,
  type AuthRoutes,
  type AuthRoutesOptions,
} from './lib/auth/route-choice.ts'
export { type AuthSchemas } from './lib/auth/auth-schemas.ts'

// Users: docs/auth.md#as-a-service, docs/auth.md#custom-fields-claims-and-hooks
export { type Users, type UserUpdate } from './lib/auth/user-service.ts'
export { type UserView } from './lib/auth/user-view.ts'
export { type UserFields } from './lib/auth/user-fields.ts'
export {
  type Credentials,
  type NewUser,
  type StoredUser,
  type UserChanges,
  type UserCondition,
  type UserListOptions,
  type UserStore,
} from './lib/auth/user-store.ts'

// Sessions and tokens: docs/auth.md#sessions-and-refresh
export {
  type SessionCaller,
  type SessionsToRevoke,
  type SessionView,
} from './lib/auth/session-service.ts'
export { type TokenCaller } from './lib/auth/authenticator.ts'

// API keys: docs/auth.md#api-keys
export {
  type ApiKeys,
  type ApiKeyView,
  type IssuedApiKey,
  type NewApiKey,
} from './lib/auth/api-key-service.ts'
export { type ApiKeyCaller } from './lib/auth/api-key-caller.ts'
export { type ApiKeyId } from './lib/auth/api-key-store.ts'

// Passwords: docs/auth.md#passwords
export { type LegacyHashes, type PasswordHasher } from './lib/auth/password-hasher.ts'

// Mail: docs/auth.md#mail
export {
  createOutboxMailer,
  createSmtpMailer,
  type Mail,
  type Mailer,
  type OutboxMailerOptions,
  type SmtpMailerOptions,
} from './lib/auth/mailer.ts'

// Hooks and security events: docs/auth.md#custom-fields-claims-and-hooks, docs/auth.md#security-events
export { type AuthHooks } from './lib/auth/hooks.ts'
export { type SecurityEvent, type SecurityEventName } from './lib/auth/security-events.ts'
