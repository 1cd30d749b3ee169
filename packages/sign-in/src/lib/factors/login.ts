import { ApiError } from '@create-api/core'
import { type AuthRequest, type StoredUser } from '@create-api/core/auth'
import { toFacts } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { countGuess, verifyCode } from './check-code.ts'
import { type FactorParts, hasFactor } from './factor-parts.ts'
import { type StepInput } from './factor-schemas.ts'
import { type SecondFactorGrant } from './factors.ts'
import { confirm, finishSetup } from './setup.ts'

// Runs between password and session. Throws ApiError `second_factor_required` or `second_factor_setup_required`.
export async function requireFactor(
  parts: FactorParts,
  user: StoredUser,
  request: AuthRequest,
): Promise<void> {
  const { context, settings, steps } = parts
  const isSetUp = await hasFactor(parts, user.id)
  if (!isSetUp && !(await settings.required(user))) return
  const token = await steps.create({ userId: user.id, setup: !isSetUp })
  const { second_factor_required: required, second_factor_setup_required: setup } = signInErrors
  const facts = toFacts(request, context.now())
  context.events.emit('auth.second_factor_required', facts, { userId: user.id })
  throw new ApiError(isSetUp ? required : setup, {
    extensions: { token, expiresIn: Math.floor(settings.stepLifetime / 1000) },
  })
}

// For a user with a factor, the password alone is not a recent proof. Throws ApiError `second_factor_required`.
export async function requireNoFactor(parts: FactorParts, userId: string): Promise<void> {
  if (!(await hasFactor(parts, userId))) return
  throw new ApiError(signInErrors.second_factor_required, {
    detail: 'Send a code to reauthenticate/code.',
  })
}

// Throws ApiError `invalid_token`, `invalid_code`, `invalid_credentials` or `rate_limited`.
export async function completeLogin(
  parts: FactorParts,
  { token, code }: StepInput,
  request: AuthRequest | undefined,
): Promise<SecondFactorGrant> {
  const { context, steps } = parts
  const step = await steps.find(token)
  const user = step && (await context.users.findById(step.userId))
  if (!step || !user || user.disabled) throw new ApiError('invalid_token')
  const { setup, userId } = step
  await countGuess(parts, userId, request, () =>
    setup ? confirm(parts, userId, code) : verifyCode(parts, userId, code, request),
  )
  if (!(await steps.take(token))) throw new ApiError('invalid_token')
  const codes = setup ? await finishSetup(parts, userId, request) : undefined
  const facts = toFacts(request, context.now())
  context.events.emit('auth.second_factor_passed', facts, { userId })
  const grant = await context.openSession(userId, facts)
  return codes ? { ...grant, recoveryCodes: codes } : grant
}
