import { ApiError } from '../../errors/api-error.ts'
import { type MailDelivery } from '../mail/mail-delivery.ts'
import { createTakenError } from '../users/identifier.ts'
import { type OwnPasswordDependencies, requireOwnPassword } from './password-service.ts'
import { type RequestFacts } from '../events/request-facts.ts'

/** The input of a change of the e-mail address. */
export interface ChangeEmailInput {
  /** The new address. */
  readonly email: string
  /** The current password. */
  readonly currentPassword: string
}

export interface EmailDependencies extends OwnPasswordDependencies {
  readonly settings: { readonly hideRegistered: boolean }
  /** Undefined when no e-mail is sent. */
  readonly mail: MailDelivery | undefined
}

// Sends a link to the new address and a notice to the old one; nothing changes before the link is used.
// Throws ApiError `invalid_credentials`, `email_taken`, `rate_limited` or `overloaded`.
export async function changeEmail(
  dependencies: EmailDependencies,
  { email, currentPassword }: ChangeEmailInput,
  userId: string,
  facts: RequestFacts,
): Promise<void> {
  const { users, events, mail, settings } = dependencies
  const { user } = await requireOwnPassword(dependencies, userId, currentPassword, facts)
  const isTaken = email !== user.email && (await users.findCredentials(email)) !== undefined
  if (isTaken && !settings.hideRegistered) throw createTakenError('email', undefined)
  events.emit('auth.email_change_requested', facts, { userId })
  if (!mail || email === user.email) return
  mail.deliver('email-change-requested', user.email, async () => user)
  const kind = isTaken ? 'already-registered' : 'change-email'
  mail.deliver(kind, email, async () => ({ id: user.id, email }))
}

// Changes the address by the link that was sent to it. Throws ApiError `invalid_token` or `email_taken`.
export async function confirmEmail(
  { users, mail, events }: EmailDependencies,
  token: string,
  facts: RequestFacts,
): Promise<void> {
  const subject = await mail?.tokens.take('change-email', token)
  const user = subject && (await users.findById(subject.userId))
  if (!mail || !user || user.disabled) throw new ApiError('invalid_token')
  const { email } = subject
  if (!(await users.update(user.id, { email, emailVerified: true }))) {
    throw new ApiError('invalid_token')
  }
  // Links that were sent to the old address are no longer valid.
  await mail.tokens.removeAll(user.id)
  mail.deliver('email-changed', user.email, async () => user)
  events.emit('auth.email_changed', facts, { userId: user.id })
}
