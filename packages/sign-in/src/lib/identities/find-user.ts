import { ApiError } from '@create-api/core'
import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { parseInput } from '@create-api/core/internal/sign-in'
import { z } from 'zod'
import { signInErrors } from '../errors.ts'
import { createUnusableHash } from '../unusable-password.ts'
import { type Account } from './account.ts'
import { type IdentityParts } from './identity-parts.ts'
import { findLinkedUser, type LinkedUser, linkOnce } from './link-once.ts'

export interface LoginInput {
  readonly account: Account
  /** Own fields that a new user has entered. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  /** Uses the token of the login. Throws ApiError `invalid_token`. */
  readonly take: () => Promise<void>
}

// The user of an account. An account that is not linked yet is linked to the user who has proved to own its address, or to a
// new one. Until that is certain, the token of the login is not used. Throws ApiError `email_not_verified`,
// `identity_not_linked`, `registration_closed`, `validation_failed`, `email_taken` or `invalid_token`.
export async function findUser(
  parts: IdentityParts,
  { account, fields, take }: LoginInput,
  facts: RequestFacts,
): Promise<StoredUser> {
  const linked = await findLinkedUser(parts, account)
  if (linked) {
    await take()
    return linked
  }
  let isTaken = false
  const choose = async (): Promise<LinkedUser> => {
    const chosen = await chooseUser(parts, account, fields)
    await take()
    isTaken = true
    return chosen(facts)
  }
  await linkOnce(parts, account, choose, facts)
  // Another request has linked it.
  if (!isTaken) await take()
  const user = await findLinkedUser(parts, account)
  if (!user) throw new ApiError('invalid_credentials')
  return user
}

type Choose = (facts: RequestFacts) => Promise<LinkedUser>

async function chooseUser(
  parts: IdentityParts,
  account: Account,
  fields: LoginInput['fields'],
): Promise<Choose> {
  const { context, settings } = parts
  const { email, isTrusted, isVerified } = account
  // Before the address is looked up: who does not own it learns nothing about it.
  if (email === null || !isVerified) throw new ApiError(signInErrors.email_not_verified)
  const user = (await context.users.findCredentials(email))?.user
  if (user?.disabled) throw new ApiError('invalid_credentials')
  if (user && !isTrusted) throw new ApiError(signInErrors.identity_not_linked)
  if (user) {
    return async (facts) => {
      await parts.verifyAddress(user, facts)
      return { id: user.id, isNew: false }
    }
  }
  if (!(settings.registration ?? context.registers)) {
    throw new ApiError(signInErrors.registration_closed)
  }
  const schema = z.strictObject({ fields: context.schemas.fields })
  const input = parseInput(schema, { fields: { ...account.fields, ...fields } })
  const passwordHash = createUnusableHash()
  return async (facts) => {
    const { id } = await context.register({ email, passwordHash, fields: input.fields }, facts)
    return { id, isNew: true }
  }
}
