import { type SignInContext } from '@create-api/core/internal/sign-in'
import { isUsable } from './unusable-password.ts'
import { type CreatedWay } from './way.ts'

// Whether a user can log in: by the password, which a mail to a verified address can set, or by one of the ways.
export async function canLogIn(
  { mail, users }: SignInContext,
  ways: readonly CreatedWay[],
  userId: string,
): Promise<boolean> {
  const user = await users.findById(userId)
  if (!user) return false
  if (mail && user.emailVerified) return true
  if (isUsable((await users.findCredentials(user.email))?.passwordHash)) return true
  for (const way of ways) if (await way.canLogIn(userId)) return true
  return false
}
