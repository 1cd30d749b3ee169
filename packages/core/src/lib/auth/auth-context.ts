import { type AccessTokens } from './access-token.ts'
import { type SessionLimit } from './auth-limits.ts'
import { type AuthSettings } from './auth-settings.ts'
import { type AccountThrottle } from './account-throttle.ts'
import { type HookRunner } from './hooks.ts'
import { type MailDelivery } from './mail-delivery.ts'
import { type PasswordHasher } from './password-hasher.ts'
import { type PasswordPolicy } from './password-policy.ts'
import { type SecurityEvents } from './security-events.ts'
import { type SessionStore } from './session-store.ts'
import { type SingleFlight } from './single-flight.ts'
import { type StoredUser, type UserStore } from './user-store.ts'

/** The parts that the services of authentication work with. */
export interface AuthContext {
  readonly settings: AuthSettings
  readonly users: UserStore
  /** Reads of users under way, for refreshes of one session at the same time. */
  readonly userReads: SingleFlight<StoredUser | undefined>
  readonly sessions: SessionStore
  readonly tokens: AccessTokens
  readonly hasher: PasswordHasher
  readonly policy: PasswordPolicy
  readonly throttle: AccountThrottle
  readonly sessionLimit: SessionLimit
  readonly events: SecurityEvents
  readonly hooks: HookRunner
  /** Undefined when no mails are sent. */
  readonly mail: MailDelivery | undefined
}
