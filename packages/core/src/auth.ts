export {
  type AuthConfig,
  type AuthLimits,
  type AuthOptions,
  type LimitOptions,
  type MailConfig,
  type MailOptions,
  type PasswordOptions,
} from './lib/auth/auth-options.ts'
export { type Claims, type ClaimsOptions } from './lib/auth/claims.ts'
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
export { type PasswordHasher } from './lib/auth/password-hasher.ts'
export { type CookieOptions } from './lib/auth/refresh-transport.ts'
export { type SecurityEvent, type SecurityEventName } from './lib/auth/security-events.ts'
export { type UserFields } from './lib/auth/user-fields.ts'
export { type StoredUser, type UserStore } from './lib/auth/user-store.ts'
export { type Auth, createAuth } from './lib/create-auth.ts'
