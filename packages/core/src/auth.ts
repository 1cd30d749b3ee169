// The groups are the topics of the API reference: a comment names the topic and its guides.

// Authentication: docs/auth.md
export { type Auth, createAuth, getAuth } from './lib/create-auth.ts'
export { type AuthService, type ResetPasswordInput } from './lib/auth/service/auth-service.ts'
export { type TokenRequest } from './lib/auth/tokens/schemes.ts'
export {
  type CreateUserInput,
  type LoginInput,
  type RegisterInput,
} from './lib/auth/accounts/account-service.ts'
export { type ChangeEmailInput } from './lib/auth/accounts/email-service.ts'
export { type ChangePasswordInput } from './lib/auth/accounts/password-service.ts'
export { type AuthGrant } from './lib/auth/sessions/grant.ts'
export { type AuthRequest, type RequestFacts } from './lib/auth/events/request-facts.ts'

// Options: docs/auth.md#options
export { type AuthConfig, type AuthOptions } from './lib/auth/options/auth-options.ts'
export { type ApiKeyOptions } from './lib/auth/api-keys/api-key-options.ts'
export { type AuthLimits, type LimitOptions } from './lib/auth/limits/limit-options.ts'
export { type MailConfig } from './lib/auth/mail/mail-options.ts'
export { type PasswordOptions } from './lib/auth/passwords/password-options.ts'
export { type CookieOptions } from './lib/auth/sessions/refresh-transport.ts'
export { type SigningKey } from './lib/auth/tokens/keys.ts'
export { type Claims, type ClaimsOptions } from './lib/auth/tokens/claims.ts'
export {
  type AuthRouteName,
  type AuthRoutes,
  type AuthRoutesOptions,
} from './lib/auth/options/auth-route-choice.ts'
export { type SignInFeature, type SignInServices } from './lib/auth/sign-in/sign-in.ts'
export { type AuthSchemas } from './lib/auth/input/auth-schemas.ts'

// Users: docs/auth.md#as-a-service, docs/auth.md#custom-fields-claims-and-hooks
export { type UserPage, type Users, type UserUpdate } from './lib/auth/accounts/user-service.ts'
export { type UserView } from './lib/auth/users/user-view.ts'
export {
  type OwnFieldName,
  type OwnFields,
  type UserFields,
  type UserFilter,
} from './lib/auth/users/user-fields.ts'
export {
  type Credentials,
  type NewUser,
  type StoredUser,
  type UserChanges,
  type UserCondition,
  type UserListOptions,
  type UserQuery,
  type UserStore,
} from './lib/auth/users/user-store.ts'

// Sessions and tokens: docs/auth.md#sessions-and-refresh
export {
  type SessionCaller,
  type SessionsToRevoke,
  type SessionView,
} from './lib/auth/sessions/session-service.ts'
export { type TokenCaller } from './lib/auth/service/authenticator.ts'

// API keys: docs/auth.md#api-keys
export {
  type ApiKeys,
  type ApiKeyView,
  type IssuedApiKey,
  type NewApiKey,
} from './lib/auth/api-keys/api-key-service.ts'
export { type ApiKeyCaller } from './lib/auth/api-keys/api-key-caller.ts'
export { type ApiKeyId } from './lib/auth/api-keys/api-key-store.ts'

// Passwords: docs/auth.md#passwords
export { type LegacyHashes, type PasswordHasher } from './lib/auth/passwords/password-hasher.ts'

// Mail: docs/auth.md#mail
export {
  createOutboxMailer,
  createSmtpMailer,
  type Mail,
  type Mailer,
  type OutboxMailerOptions,
  type SmtpMailerOptions,
} from './lib/auth/mail/mailer.ts'

// Hooks and security events: docs/auth.md#custom-fields-claims-and-hooks, docs/auth.md#security-events
export { type AuthHooks } from './lib/auth/events/hooks.ts'
export { type SecurityEvent, type SecurityEventName } from './lib/auth/events/security-events.ts'
