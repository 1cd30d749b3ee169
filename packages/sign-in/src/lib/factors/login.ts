import { ApiError } from '@create-api/core'
import { type AuthRequest, type RequestFacts, type StoredUser } from '@create-api/core/auth'
import { toFacts } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { countGuess, verifyCode } from './check-code.ts'
import { type FactorParts, hasFactor } from './factor-parts.ts'
import { type DeviceStepInput, type StepInput } from './factor-schemas.ts'
import { type SecondFactorGrant } from './factors.ts'
import { type LoginStep } from './login-steps.ts'
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

// For a session or an API key that was created without a second factor. Throws ApiError `second_factor_required` or
// `second_factor_setup_required`.
export async function requireSession(parts: FactorParts, user: StoredUser): Promise<void> {
  if (!(await parts.settings.required(user))) return
  const { second_factor_required: required, second_factor_setup_required: setup } = signInErrors
  throw (await hasFactor(parts, user.id))
    ? new ApiError(required, { detail: 'Send a code to reauthenticate/code, or log in again.' })
    : new ApiError(setup, { detail: 'Set up a factor by factors/totp, or log in again.' })
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
  input: StepInput | DeviceStepInput,
  request: AuthRequest | undefined,
): Promise<SecondFactorGrant> {
  const { context, steps, trustedDevices } = parts
  const { token } = input
  const step = await findStep(parts, token)
  const { userId } = step
  const facts = toFacts(request, context.now())
  if ('deviceToken' in input) {
    await requireTrust(parts, step, input.deviceToken)
    if (!(await steps.take(token))) throw new ApiError('invalid_token')
    context.events.emit('auth.second_factor_passed', facts, { userId, reason: 'trusted_device' })
    return context.openSession(userId, facts, { isProof: false, multiFactor: true })
  }
  await requireCode(parts, step, input.code, facts)
  // The confirmation of the first factor has ended all of them.
  if (!step.setup && !(await steps.take(token))) throw new ApiError('invalid_token')
  const recoveryCodes = step.setup ? await finishSetup(parts, userId, facts) : undefined
  context.events.emit('auth.second_factor_passed', facts, { userId })
  const grant = await context.openSession(userId, facts, { multiFactor: true })
  const deviceToken = input.trustDevice === true ? await trustedDevices.create(userId) : undefined
  return { ...grant, recoveryCodes, deviceToken }
}

// Throws ApiError `invalid_token`.
async function findStep(parts: FactorParts, token: string): Promise<LoginStep> {
  const step = await parts.steps.find(token)
  const user = step && (await parts.context.users.findById(step.userId))
  // Someone else may know the password, and have begun before the user had a factor.
  const isLate = step?.setup === true && (await hasFactor(parts, step.userId))
  if (!step || !user || user.disabled || isLate) throw new ApiError('invalid_token')
  return step
}

async function requireTrust(
  { trustedDevices }: FactorParts,
  { setup, userId }: LoginStep,
  deviceToken: string,
): Promise<void> {
  if (!setup && (await trustedDevices.isTrusted(userId, deviceToken))) return
  throw new ApiError(signInErrors.invalid_code, {
    detail: 'The device is not trusted any more: send a code.',
  })
}

function requireCode(
  parts: FactorParts,
  { setup, userId }: LoginStep,
  code: string,
  facts: RequestFacts,
): Promise<void> {
  return countGuess(parts, userId, facts, () =>
    setup ? confirm(parts, { userId }, code) : verifyCode(parts, userId, code, facts),
  )
}
