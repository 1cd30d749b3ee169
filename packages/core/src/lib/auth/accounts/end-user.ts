import { type ApiKeyStore } from '../api-keys/api-key-store.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import { type MailDelivery } from '../mail/mail-delivery.ts'
import { type SessionStore } from '../sessions/session-store.ts'
import { type SignInParts } from '../sign-in/sign-in.ts'
import { endHoldings } from '../storage/holdings.ts'

export interface Holdings {
  /** Undefined when there are no API keys. */
  readonly apiKeys: { readonly store: Pick<ApiKeyStore, 'removeAll' | 'revokeAll'> } | undefined
  /** Undefined when no e-mail is sent. */
  readonly mail: MailDelivery | undefined
  readonly sessions: SessionStore
  /** Undefined when the password is the only way to log in. */
  readonly signIn: Pick<SignInParts, 'endLogins' | 'removeUser' | 'removeWays'> | undefined
}

// What a user was given does not work while the user is disabled: only what acts without a request of the user ends.
export async function endDisabled(user: string): Promise<void> {
  await endHoldings({ user }, 'disabled')
}

// Another person may have registered the address of the user: nothing that this person has added stays.
export async function endReclaimed(
  { apiKeys, mail, sessions, signIn }: Holdings,
  user: string,
  facts: RequestFacts,
): Promise<void> {
  await sessions.revokeAll(user, { reason: 'password-reset' })
  await signIn?.endLogins(user)
  await signIn?.removeWays(user, facts)
  await apiKeys?.store.revokeAll(user)
  await mail?.tokens.removeAll(user)
  await endHoldings({ user }, 'reclaimed')
}

export async function endRemoved(
  { apiKeys, mail, sessions, signIn }: Holdings,
  user: string,
): Promise<void> {
  await sessions.removeAll(user)
  await apiKeys?.store.removeAll(user)
  await mail?.tokens.removeAll(user)
  await signIn?.removeUser(user)
  await endHoldings({ user }, 'removed')
}
