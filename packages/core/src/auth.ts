export {
  type CreateUserInput,
  type LoginInput,
  type RegisterInput,
} from './lib/auth/account-service.ts'
export { type ApiKeyCaller } from './lib/auth/api-key-caller.ts'
export {
  type ApiKeys,
  type ApiKeyView,
  type IssuedApiKey,
  type NewApiKey,
} from './lib/auth/api-key-service.ts'
export { type ApiKeyId } from './lib/auth/api-key-store.ts'
export {
  type ApiKeyOptions,
  type AuthConfig,
  type AuthLimits,
  type AuthOptions,
  type LimitOptions,
  type MailConfig,
  type PasswordOptions,
} from './lib/auth/auth-options.ts'
export { type AuthSchemas } from './lib/auth/auth-schemas.ts'
export { type AuthService, type ResetPasswordInput } from './lib/auth/auth-service.ts'
export { type TokenCaller } from './lib/auth/authenticator.ts'
export { type Claims, type ClaimsOptions } from './lib/auth/claims.ts'
export { type ChangeEmailInput } from './lib/auth/email-service.ts'
export { type AuthGrant } from './lib/auth/grant.ts'
export { type AuthHooks } from './lib/auth/hooks.ts'
export { type SigningKey } from './lib/auth/keys.ts'
export {
  createOutboxMailer,
  createSmtpMailer,
  type Mail,
  type Mailer,
  type OutboxMailerOptions,
  type SmtpMailerOptions,
} from './lib/auth/mailer.ts'
export { type LegacyHashes, type PasswordHasher } from './lib/auth/password-hasher.ts'
export { type ChangePasswordInput } from './lib/auth/password-service.ts'
export { type CookieOptions } from './lib/auth/refresh-transport.ts'
export { type AuthRequest, type RequestFacts } from './lib/auth/request-facts.ts'
export {
  type AuthRouteName,
  type AuthRoutes,
  type AuthRoutesOptions,
} from './lib/auth/route-choice.ts'
export { type SecurityEvent, type SecurityEventName } from './lib/auth/security-events.ts'
export {
  type SessionCaller,
  type SessionsToRevoke,
  type SessionView,
} from './lib/auth/session-service.ts'
export { type UserFields } from './lib/auth/user-fields.ts'
export { type Users, type UserUpdate } from './lib/auth/user-service.ts'
export { type UserView } from './lib/auth/user-view.ts'
export {
  type Credentials,
  type NewUser,
  type StoredUser,
  type UserChanges,
  type UserCondition,
  type UserStore,
} from './lib/auth/user-store.ts'
export { type Auth, createAuth, getAuth } from './lib/create-auth.ts'
