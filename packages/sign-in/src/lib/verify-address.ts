import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { type SignInContext } from '@create-api/core/internal/sign-in'
import { createUnusableHash } from './unusable-password.ts'

// Another person may have registered an address that was not verified: password, sessions, API keys and what `removeLogins`
// removes end.
export async function verifyAddress(
  { events, revokeApiKeys, sessions, users }: SignInContext,
  { emailVerified, id }: StoredUser,
  facts: RequestFacts,
  removeLogins: (userId: string) => Promise<unknown>,
): Promise<void> {
  if (emailVerified) return
  await users.update(id, { emailVerified: true, passwordHash: createUnusableHash() })
  await sessions.revokeAll(id, { reason: 'password-reset' })
  await revokeApiKeys(id)
  await removeLogins(id)
  events.emit('auth.email_verified', facts, { userId: id })
}
