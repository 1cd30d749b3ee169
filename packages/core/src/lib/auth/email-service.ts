import { ApiError } from '../errors/api-error.ts'
import { type AuthContext } from './auth-context.ts'
import { type RequestFacts } from './request-facts.ts'

/**
 * Notes that an address belongs to its user, by the link of a mail.
 * @param context - the parts of authentication
 * @param token - of the link
 * @param facts - of the request
 * @throws ApiError `invalid_token`
 */
export async function verifyEmail(
  context: AuthContext,
  token: string,
  facts: RequestFacts,
): Promise<void> {
  const { mail, users, events } = context
  const subject = await mail?.tokens.take('verify-email', token)
  const user = subject && (await users.findById(subject.userId))
  // The address may have become another one since the mail was sent.
  if (!user || user.email !== subject.email) throw new ApiError('invalid_token')
  await users.update(user.id, { emailVerified: true })
  events.emit('auth.email_verified', facts, { userId: user.id })
}

/**
 * Sends the link that verifies an address once more, if there is such an account and it is not
 * verified. It returns at once in any case.
 * @param context - the parts of authentication
 * @param email - canonical address
 */
export function resendVerification(context: AuthContext, email: string): void {
  const { mail, users } = context
  mail?.deliver('verify-email', email, async () => {
    const user = (await users.findCredentials(email))?.user
    return user && !user.disabled && !user.emailVerified ? user : undefined
  })
}
