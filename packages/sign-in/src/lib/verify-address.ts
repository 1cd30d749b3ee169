import { randomBytes } from 'node:crypto'
import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { type SignInContext } from '@create-api/core/internal/sign-in'

// Another person may have registered an address that was not verified: password, factors and sessions of that time
// end.
export async function verifyAddress(
  { events, sessions, users }: SignInContext,
  { emailVerified, id }: StoredUser,
  facts: RequestFacts,
  resetFactors: (userId: string) => Promise<unknown>,
): Promise<void> {
  if (emailVerified) return
  const passwordHash = `unusable ${randomBytes(16).toString('hex')}`
  await users.update(id, { emailVerified: true, passwordHash })
  await sessions.revokeAll(id, { reason: 'password-reset' })
  await resetFactors(id)
  events.emit('auth.email_verified', facts, { userId: id })
}
