import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { type SignInContext } from '@create-api/core/internal/sign-in'
import { createUnusableHash } from './unusable-password.ts'

// Another person may have registered an address that was not verified: the password and all that the user holds end.
export async function verifyAddress(
  { endReclaimed, events, users }: SignInContext,
  { emailVerified, id }: StoredUser,
  facts: RequestFacts,
): Promise<void> {
  if (emailVerified) return
  await users.update(id, { emailVerified: true, passwordHash: createUnusableHash() })
  await endReclaimed(id, facts)
  events.emit('auth.email_verified', facts, { userId: id })
}
