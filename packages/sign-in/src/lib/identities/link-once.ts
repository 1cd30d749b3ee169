import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@create-api/core'
import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { isDuplicateKey, majority } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { type Account } from './account.ts'
import { type IdentityDocument, type IdentityModels } from './identity-models.ts'
import { type IdentityParts } from './identity-parts.ts'

export interface LinkedUser {
  readonly id: string
  /** Whether the account has created the user. */
  readonly isNew: boolean
}

const reservation = 30_000
const pause = 50
const maxPauses = 100

// The user that an account is linked to. An account of a user who was removed is not linked.
export async function findLinkedUser(
  { context, models }: Pick<IdentityParts, 'context' | 'models'>,
  { id }: Account,
): Promise<StoredUser | undefined> {
  const found = await models.identities.findOne({ _id: id }).lean()
  if (!found || found.userId === null) return undefined
  const user = await context.users.findById(found.userId)
  if (!user) await models.identities.deleteOne({ _id: id, userId: found.userId }, majority)
  return user
}

// Links an account to the user that `choose` returns, in one request at a time, also of several processes: others wait for
// its result. Two first logins at once create one user. Throws ApiError `identity_taken` when the user has another account
// of the provider.
export async function linkOnce(
  parts: IdentityParts,
  account: Account,
  choose: () => Promise<LinkedUser>,
  facts: RequestFacts,
): Promise<string> {
  const { context } = parts
  for (let pauses = 0; pauses < maxPauses; pauses += 1) {
    const current = await reserve(parts, account)
    if (current === 'own') return link(parts, account, choose, facts)
    if (current !== 'waiting') return current.userId
    await wait(pause)
  }
  context.logger.warn({}, 'A login with another provider waited too long for another one.')
  throw new ApiError('service_unavailable')
}

// Whether this request links the account, another one does, or it is linked.
async function reserve(
  { context, models }: IdentityParts,
  { id, provider }: Account,
): Promise<'own' | 'waiting' | { readonly userId: string }> {
  const now = context.now()
  const expiresAt = new Date(now + reservation)
  const found = await models.identities.findOne({ _id: id }).lean()
  if (!found) {
    const own = { _id: id, provider, createdAt: new Date(now), expiresAt }
    return (await insert(models.identities, own)) ? 'own' : 'waiting'
  }
  if (found.userId !== null) return { userId: found.userId }
  if (found.expiresAt !== null && found.expiresAt.getTime() > now) return 'waiting'
  // The process that reserved it has ended.
  const { modifiedCount } = await models.identities.updateOne(
    { _id: id, userId: null, expiresAt: found.expiresAt },
    { $set: { expiresAt } },
    majority,
  )
  return modifiedCount > 0 ? 'own' : 'waiting'
}

// False when another request has inserted it.
async function insert(
  identities: IdentityModels['identities'],
  document: Partial<IdentityDocument>,
): Promise<boolean> {
  try {
    await identities.insertOne(document)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

async function link(
  { context, models }: IdentityParts,
  { email, id }: Account,
  choose: () => Promise<LinkedUser>,
  facts: RequestFacts,
): Promise<string> {
  try {
    const { id: userId, isNew } = await choose()
    const changes = { userId, email, expiresAt: null }
    await models.identities.updateOne({ _id: id, userId: null }, { $set: changes }, majority)
    if (!isNew) context.events.emit('auth.identity_linked', facts, { userId })
    return userId
  } catch (error) {
    await models.identities.deleteOne({ _id: id, userId: null }, majority)
    if (isDuplicateKey(error)) throw new ApiError(signInErrors.identity_taken)
    throw error
  }
}
