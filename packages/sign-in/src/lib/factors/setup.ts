import { ApiError } from '@create-api/core'
import { type AuthRequest } from '@create-api/core/auth'
import { isDuplicateKey, majority, toFacts } from '@create-api/core/internal/sign-in'
import { trusted, Types } from 'mongoose'
import { signInErrors } from '../errors.ts'
import { toOwner, useCode } from './check-code.ts'
import { type FactorDocument } from './factor-models.ts'
import { type FactorParts, hasFactor } from './factor-parts.ts'
import { type EnrolInput } from './factor-schemas.ts'
import { type TotpEnrolment } from './factors.ts'
import { createSecret, toKeyUri } from './totp.ts'

const maxFactors = 5
const confirmationTime = 15 * 60_000

export async function enrol(
  { box, context, models, settings }: FactorParts,
  userId: string,
  { name = 'Authenticator' }: EnrolInput,
): Promise<TotpEnrolment> {
  const { now, serviceName, users } = context
  const user = await users.findById(userId)
  if (!user) throw new ApiError('not_found')
  const secret = createSecret()
  const id = new Types.ObjectId()
  await models.factors.insertOne({
    _id: id,
    userId,
    kind: 'totp',
    name,
    secret: box.seal(secret, toOwner(userId, id)),
    lastStep: 0,
    createdAt: new Date(now()),
    expiresAt: new Date(now() + confirmationTime),
  })
  // Afterwards, so that concurrent requests see each other: the first ones remain.
  const kept = await models.factors
    .find({ userId }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(maxFactors)
    .lean()
  if (!kept.some(({ _id }) => _id.equals(id))) {
    await models.factors.deleteOne({ _id: id }, majority)
    throw new ApiError(signInErrors.too_many_factors)
  }
  const uri = toKeyUri(secret, settings.issuer ?? serviceName, user.email)
  return { id: String(id), secret, uri }
}

// Confirms one of the factors that are not confirmed yet, or the one with an id. What was begun before the first factor
// ends: someone who knew the password alone may have begun it. Throws ApiError `invalid_token` when another one was confirmed first.
export async function confirm(
  parts: FactorParts,
  { id, userId }: { readonly userId: string; readonly id?: string },
  code: string,
): Promise<boolean> {
  const confirmedAt = new Date(parts.context.now())
  const first = !(await hasFactor(parts, userId))
  const changes = { confirmedAt, expiresAt: null, ...(first && { first }) }
  for (const factor of await findAllPending(parts, userId, id)) {
    if (!(await useFirst(parts, factor, code, changes))) continue
    if (first) await endUnproved(parts, userId)
    return true
  }
  return false
}

async function useFirst(...args: Parameters<typeof useCode>): Promise<boolean> {
  try {
    return await useCode(...args)
  } catch (error) {
    if (isDuplicateKey(error)) throw new ApiError('invalid_token')
    throw error
  }
}

async function endUnproved({ context, models, steps }: FactorParts, userId: string): Promise<void> {
  await models.factors.deleteMany({ userId, confirmedAt: null }, majority)
  await steps.removeAll(userId)
  await context.sessions.removeProofs(userId)
}

// Returns the recovery codes with the first factor.
export async function finishSetup(
  { context, recoveryCodes }: FactorParts,
  userId: string,
  request: AuthRequest | undefined,
): Promise<string[] | undefined> {
  const facts = toFacts(request, context.now())
  context.events.emit('auth.factor_added', facts, { userId })
  const codes = await recoveryCodes.createFirst(userId)
  if (codes) context.events.emit('auth.recovery_codes_created', facts, { userId })
  return codes
}

export async function findPending(
  parts: FactorParts,
  userId: string,
  id: string,
): Promise<FactorDocument | undefined> {
  return (await findAllPending(parts, userId, id))[0]
}

function findAllPending(
  { context, models }: FactorParts,
  userId: string,
  id?: string,
): Promise<FactorDocument[]> {
  const own = id === undefined ? { userId } : { _id: id, userId }
  const later = trusted({ $gt: new Date(context.now()) })
  return models.factors
    .find({ ...own, confirmedAt: null, expiresAt: later })
    .lean()
    .exec()
}
