import { ApiError } from '@create-api/core'
import { type AuthRequest } from '@create-api/core/auth'
import { majority, toFacts } from '@create-api/core/internal/sign-in'
import { trusted, type Types } from 'mongoose'
import { signInErrors } from '../errors.ts'
import { type FactorDocument } from './factor-models.ts'
import { confirmed, type FactorParts } from './factor-parts.ts'
import { findTimeStep } from './totp.ts'

// Counted before it is verified: concurrent guesses are as few as others. Only who knows the password can make them, so
// no one else can make the user wait.
export async function countGuess(
  { context }: FactorParts,
  userId: string,
  request: AuthRequest | undefined,
  check: () => Promise<boolean>,
): Promise<void> {
  const { events, now, throttle } = context
  const key = `second-factor ${userId}`
  await throttle.take(key)
  if (await check()) {
    await throttle.clear(key)
    return
  }
  events.emit('auth.second_factor_failed', toFacts(request, now()), { userId })
  throw new ApiError(signInErrors.invalid_code)
}

export async function verifyCode(
  parts: FactorParts,
  userId: string,
  code: string,
  request: AuthRequest | undefined,
): Promise<boolean> {
  const { context, models, recoveryCodes } = parts
  const factors = await models.factors.find({ userId, ...confirmed }).lean()
  for (const factor of factors) if (await useCode(parts, factor, code)) return true
  if (factors.length === 0 || !(await recoveryCodes.take(userId, code))) return false
  context.events.emit('auth.recovery_code_used', toFacts(request, context.now()), { userId })
  return true
}

// The code of a time step is accepted once, also by several processes (RFC 6238 section 5.2).
export async function useCode(
  { box, context, models }: FactorParts,
  { _id, secret, userId }: FactorDocument,
  code: string,
  changes: Partial<FactorDocument> = {},
): Promise<boolean> {
  const opened = box.open(secret, toOwner(userId, _id))
  if (!opened) {
    context.logger.error(
      { userId },
      'The secret of a factor cannot be decrypted: a key of encryptionKeys is missing.',
    )
    return false
  }
  const step = findTimeStep(opened.text, code, context.now())
  if (step === undefined) return false
  const resealed = opened.isCurrent ? {} : { secret: box.seal(opened.text, toOwner(userId, _id)) }
  const { modifiedCount } = await models.factors.updateOne(
    { _id, lastStep: trusted({ $lt: step }) },
    { $set: { lastStep: step, lastUsedAt: new Date(context.now()), ...resealed, ...changes } },
    majority,
  )
  return modifiedCount > 0
}

// The owner of an encrypted secret.
export function toOwner(userId: string, id: Types.ObjectId): string {
  return `${userId} ${String(id)}`
}
