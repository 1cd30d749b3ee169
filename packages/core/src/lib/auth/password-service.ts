import { ApiError } from '../errors/api-error.ts'
import { type AuthContext } from './auth-context.ts'
import { type RequestFacts } from './request-facts.ts'
import { toEmailHash } from './security-events.ts'
import { type Caller } from './session-service.ts'

/** What changing the password takes, parsed. */
export interface ChangePasswordInput {
  /** Normalised password that the user has. */
  currentPassword: string
  /** Normalised password that the user wants. */
  newPassword: string
}

/**
 * Changes the password of the caller and ends all other sessions.
 * @param context - the parts of authentication
 * @param input - old and new password, and who asks
 * @param facts - of the request
 * @throws ApiError `invalid_credentials`, `password_too_common`, `rate_limited` or `overloaded`
 */
export async function changePassword(
  context: AuthContext,
  input: ChangePasswordInput & Caller & { email: string },
  facts: RequestFacts,
): Promise<void> {
  const { users, hasher, policy, throttle, sessions, events } = context
  const { userId, sessionId, email, currentPassword, newPassword } = input
  const credentials = await users.findCredentials(email)
  // A lane of its own: strangers who guess at the login must not keep the user from changing it.
  const lane = `change-password ${userId}`
  await throttle.requireOpen(lane)
  const guard = (): Promise<void> => throttle.requireOpen(lane)
  const passwordHash = credentials?.passwordHash
  if (!(await hasher.verify(passwordHash, currentPassword, guard))) {
    await throttle.fail(lane)
    events.emit('auth.login_failed', facts, { userId, reason: 'change-password' })
    throw new ApiError('invalid_credentials')
  }
  await throttle.clear(lane)
  await policy.requireUncommon(newPassword, { email, pointer: '#/newPassword' })
  const changes = { passwordHash: await hasher.hash(newPassword) }
  // Of two changes at the same time the second finds another hash than it compared with.
  if (!(await users.update(userId, changes, { passwordHash }))) {
    throw new ApiError('invalid_credentials')
  }
  await sessions.revokeAll(userId, { reason: 'password-changed', except: sessionId })
  await context.mail?.tokens.removeAll(userId)
  events.emit('auth.password_changed', facts, { userId, sessionId })
}

/**
 * Sends a link that sets a new password, if there is such an account. It returns at once in
 * either case, so that neither answer nor time tells which.
 * @param context - the parts of authentication
 * @param email - canonical address
 * @param facts - of the request
 */
export function forgotPassword(context: AuthContext, email: string, facts: RequestFacts): void {
  const { mail, users, events } = context
  events.emit('auth.password_reset_requested', facts, { emailHash: toEmailHash(email) })
  mail?.deliver('reset-password', email, async () => {
    const found = await users.findCredentials(email)
    return found && !found.user.disabled ? found.user : undefined
  })
}

/**
 * Sets a new password by the link of a mail, and ends every session of the user.
 * @param context - the parts of authentication
 * @param input - token of the link and normalised password
 * @param input.token - of the link
 * @param input.password - normalised
 * @param facts - of the request
 * @throws ApiError `invalid_token`, `password_too_common` or `overloaded`
 */
export async function resetPassword(
  context: AuthContext,
  input: { token: string; password: string },
  facts: RequestFacts,
): Promise<void> {
  const { mail, users, hasher, policy, sessions, throttle, events } = context
  const subject = await mail?.tokens.find('reset-password', input.token)
  if (!mail || !subject) throw new ApiError('invalid_token')
  const { email, userId } = subject
  await policy.requireUncommon(input.password, { email, pointer: '#/password' })
  const passwordHash = await hasher.hash(input.password)
  // Used up only now: a password that is refused must not cost the user the link.
  if (!(await mail.tokens.take('reset-password', input.token))) throw new ApiError('invalid_token')
  // Whoever holds the link has read the mail.
  if (!(await users.update(userId, { passwordHash, emailVerified: true }))) {
    throw new ApiError('invalid_token')
  }
  await sessions.revokeAll(userId, { reason: 'password-reset' })
  await mail.tokens.removeAll(userId)
  await throttle.clear(email)
  events.emit('auth.password_reset', facts, { userId })
}
