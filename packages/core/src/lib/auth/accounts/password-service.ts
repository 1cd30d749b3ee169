import { ApiError } from '../../errors/api-error.ts'
import { type AccountThrottle } from '../limits/account-throttle.ts'
import { type SignInParts } from '../sign-in/sign-in.ts'
import { endReclaimed, type Holdings } from './end-user.ts'
import { type PasswordHasher } from '../passwords/password-hasher.ts'
import { type PasswordPolicy } from '../passwords/password-policy.ts'
import { type AuthGrant, createGrant, type GrantDependencies } from '../sessions/grant.ts'
import { type SessionStore } from '../sessions/session-store.ts'
import { toThrottleKeyOf } from '../users/identifier.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import { type SecurityEvents, toEmailHash } from '../events/security-events.ts'
import { type SessionCaller } from '../sessions/session-service.ts'
import { type Credentials, type UserStore } from '../users/user-store.ts'

/** The input of a change of password. */
export interface ChangePasswordInput {
  /** The current password. */
  readonly currentPassword: string
  /** The password that the user chose. */
  readonly newPassword: string
}

export interface PasswordDependencies extends OwnPasswordDependencies, Holdings {
  readonly settings: { readonly identifier: string }
  readonly policy: PasswordPolicy
}

export interface OwnPasswordDependencies {
  readonly users: UserStore
  readonly hasher: PasswordHasher
  readonly throttle: AccountThrottle
  readonly events: SecurityEvents
}

// Changes the password of the caller, revokes all other sessions and issues new tokens for the own one. Throws ApiError
// `invalid_credentials`, `password_too_common`, `rate_limited` or `overloaded`.
export async function changePassword(
  dependencies: PasswordDependencies & GrantDependencies,
  { currentPassword, newPassword }: ChangePasswordInput,
  { userId, sessionId }: SessionCaller,
  facts: RequestFacts,
): Promise<AuthGrant | undefined> {
  const { users, hasher, policy, sessions, events, mail, signIn } = dependencies
  const { user, passwordHash } = await requireOwnPassword(
    dependencies,
    userId,
    currentPassword,
    facts,
  )
  await policy.requireUncommon(newPassword, user.email, '#/newPassword')
  const changes = { passwordHash: await hasher.hash(newPassword) }
  // The second of two concurrent changes finds another hash than it compared with.
  if (!(await users.update(userId, changes, { passwordHash }))) {
    throw new ApiError('invalid_credentials')
  }
  await sessions.revokeAll(userId, { reason: 'password-changed', except: sessionId })
  const renewed = sessionId === undefined ? undefined : await sessions.renew({ sessionId, userId })
  await signIn?.endLogins(userId)
  await mail?.tokens.removeAll(userId)
  events.emit('auth.password_changed', facts, { userId, sessionId })
  return renewed && createGrant(dependencies, user, renewed)
}

// Notes in the session of the caller that the user knows the password. Throws ApiError `invalid_credentials`,
// `session_revoked`, `rate_limited` or `overloaded`.
export async function reauthenticate(
  dependencies: OwnPasswordDependencies & {
    readonly sessions: SessionStore
    readonly signIn: Pick<SignInParts, 'beforeProof'> | undefined
  },
  password: string,
  { userId, sessionId }: SessionCaller,
  facts: RequestFacts,
): Promise<void> {
  const { events, sessions, signIn } = dependencies
  await requireOwnPassword(dependencies, userId, password, facts)
  await signIn?.beforeProof(userId)
  if (sessionId === undefined || !(await sessions.noteProof({ sessionId, userId }))) {
    throw new ApiError('session_revoked')
  }
  events.emit('auth.reauthenticated', facts, { userId, sessionId })
}

// Throws ApiError `invalid_credentials`, `rate_limited` or `overloaded`.
export async function requireOwnPassword(
  dependencies: OwnPasswordDependencies,
  userId: string,
  password: string,
  facts: RequestFacts,
): Promise<Credentials> {
  const { users, hasher, throttle, events } = dependencies
  // Read by id: in stateless mode the address of the caller can be an old one.
  const user = await users.findById(userId)
  const credentials = user && (await users.findCredentials(user.email))
  // Counted separately: guesses at the login must not prevent the user from changing the password.
  const key = `change-password ${userId}`
  const requireOpen = (): Promise<void> => throttle.requireOpen(key)
  await requireOpen()
  const matches = await hasher.verify(credentials?.passwordHash, password, requireOpen)
  if (!matches || credentials?.user.id !== userId) {
    await throttle.fail(key)
    events.emit('auth.login_failed', facts, { userId, reason: 'change-password' })
    throw new ApiError('invalid_credentials')
  }
  await throttle.clear(key)
  return credentials
}

// Sends a link that sets a new password, if there is such an account. It returns immediately in
// either case, so that neither the response nor its time reveals which.
export function forgotPassword(
  { mail, users, events }: PasswordDependencies,
  email: string,
  facts: RequestFacts,
): void {
  events.emit('auth.password_reset_requested', facts, { emailHash: toEmailHash(email) })
  mail?.deliver('reset-password', email, async () => {
    const found = await users.findCredentials(email)
    return found && !found.user.disabled ? found.user : undefined
  })
}

// Sets a new password by the link of an e-mail, and revokes every session of the user. Throws ApiError
// `invalid_token`, `password_too_common` or `overloaded`.
export async function resetPassword(
  dependencies: PasswordDependencies,
  input: { token: string; password: string },
  facts: RequestFacts,
): Promise<void> {
  const { mail, users, hasher, policy, sessions, signIn, throttle, events, settings } = dependencies
  const subject = await mail?.tokens.find('reset-password', input.token)
  if (!mail || !subject) throw new ApiError('invalid_token')
  const { email, userId } = subject
  await policy.requireUncommon(input.password, email, '#/password')
  const passwordHash = await hasher.hash(input.password)
  // Consumed only now: a rejected password must not cost the user the link.
  if (!(await mail.tokens.take('reset-password', input.token))) throw new ApiError('invalid_token')
  const wasVerified = (await users.findById(userId))?.emailVerified
  // The link proves that the user received the e-mail.
  if (!(await users.update(userId, { passwordHash, emailVerified: true }))) {
    throw new ApiError('invalid_token')
  }
  if (wasVerified === false) await endReclaimed(dependencies, userId, facts)
  else {
    await sessions.revokeAll(userId, { reason: 'password-reset' })
    await signIn?.endLogins(userId)
    await mail.tokens.removeAll(userId)
  }
  const user = await users.findById(userId)
  if (user) await throttle.clear(toThrottleKeyOf(settings.identifier, user))
  events.emit('auth.password_reset', facts, { userId })
}
