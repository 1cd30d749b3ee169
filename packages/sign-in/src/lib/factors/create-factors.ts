import { ApiError } from '@create-api/core'
import { type AuthRequest } from '@create-api/core/auth'
import {
  majority,
  parseInput,
  type SignInContext,
  toFacts,
} from '@create-api/core/internal/sign-in'
import { isObjectIdOrHexString } from 'mongoose'
import { countGuess, verifyCode } from './check-code.ts'
import { type FactorDocument } from './factor-models.ts'
import { confirmed, type FactorParts, hasFactor } from './factor-parts.ts'
import {
  codeInput,
  confirmInput,
  enrolInput,
  setupInput,
  stepInput,
  stepInputWithDevices,
} from './factor-schemas.ts'
import { type FactorList, type Factors, type FactorView } from './factors.ts'
import { completeLogin } from './login.ts'
import { confirm, enrol, findPending, finishSetup } from './setup.ts'

type Limited = <T>(
  name: 'factors' | 'secondFactor',
  request: AuthRequest | undefined,
  work: () => Promise<T>,
) => Promise<T>

// Routes count requests themselves: for them, `takeLimit` does nothing.
export function createFactors(parts: FactorParts, takeLimit: SignInContext['takeLimit']): Factors {
  const { context, recoveryCodes, settings, steps, trustedDevices } = parts
  const { events, now, sessions } = context
  const step = settings.trustedDevices === undefined ? stepInput : stepInputWithDevices
  const limited: Limited = async (name, request, work) => {
    const takeBack = await takeLimit(name, toFacts(request, now()))
    const result = await work()
    // A success does not count towards the limit of guesses.
    if (name === 'secondFactor') takeBack()
    return result
  }
  return {
    list: (userId) => listFactors(parts, userId),
    enrolTotp: async (userId, input = {}, request) =>
      limited('factors', request, () => enrol(parts, userId, parseInput(enrolInput, input))),
    confirmTotp: async (userId, input, request) =>
      limited('secondFactor', request, async () => {
        const { id, code } = parseInput(confirmInput, input)
        if (!(await findPending(parts, userId, id))) throw new ApiError('not_found')
        await countGuess(parts, userId, request, () => confirm(parts, { userId, id }, code))
        return finishSetup(parts, userId, request)
      }),
    remove: (userId, id, request) => removeFactor(parts, { userId, id }, request),
    async createRecoveryCodes(userId, request) {
      if (!(await hasFactor(parts, userId))) throw new ApiError('not_found')
      const codes = await recoveryCodes.create(userId)
      events.emit('auth.recovery_codes_created', toFacts(request, now()), { userId })
      return codes
    },
    enrolAtLogin: async (input, request) =>
      limited('secondFactor', request, async () => {
        const { token } = parseInput(setupInput, input)
        const login = await steps.find(token)
        if (!login?.setup || (await hasFactor(parts, login.userId)))
          throw new ApiError('invalid_token')
        return enrol(parts, login.userId, {})
      }),
    completeLogin: async (input, request) =>
      limited('secondFactor', request, () =>
        completeLogin(parts, parseInput(step, input), request),
      ),
    reauthenticate: async (caller, input, request) =>
      limited('secondFactor', request, async () => {
        const { code } = parseInput(codeInput, input)
        const { userId } = caller
        await countGuess(parts, userId, request, () => verifyCode(parts, userId, code, request))
        if (!(await sessions.noteProof({ ...caller, multiFactor: true })))
          throw new ApiError('session_revoked')
        events.emit('auth.reauthenticated', toFacts(request, now()), { ...caller })
      }),
    async forgetDevices(userId, request) {
      await trustedDevices.removeAll(userId)
      events.emit('auth.trusted_devices_removed', toFacts(request, now()), { userId })
    },
    async reset(userId, request) {
      const count = await removeFactors(parts, userId)
      if (count > 0) events.emit('auth.factors_reset', toFacts(request, now()), { userId })
      return count
    },
  }
}

async function listFactors(
  { models, recoveryCodes, trustedDevices }: FactorParts,
  userId: string,
): Promise<FactorList> {
  const [factors, codes, devices] = await Promise.all([
    models.factors
      .find({ userId, ...confirmed })
      .sort({ _id: 1 })
      .lean(),
    recoveryCodes.count(userId),
    trustedDevices.count(userId),
  ])
  return { factors: factors.map(toView), recoveryCodes: codes, trustedDevices: devices }
}

async function removeFactor(
  parts: FactorParts,
  { userId, id }: { userId: string; id: string },
  request: AuthRequest | undefined,
): Promise<void> {
  const { context, models, recoveryCodes, trustedDevices } = parts
  const filter = { _id: id, userId }
  const removed = isObjectIdOrHexString(id) && (await models.factors.findOneAndDelete(filter))
  if (!removed) throw new ApiError('not_found')
  if (!removed.confirmedAt) return
  await trustedDevices.removeAll(userId)
  if (!(await hasFactor(parts, userId))) await recoveryCodes.removeAll(userId)
  context.events.emit('auth.factor_removed', toFacts(request, context.now()), { userId })
}

export async function removeFactors(
  { models, recoveryCodes, steps, trustedDevices }: FactorParts,
  userId: string,
): Promise<number> {
  const { deletedCount } = await models.factors.deleteMany({ userId }, majority)
  await recoveryCodes.removeAll(userId)
  await steps.removeAll(userId)
  await trustedDevices.removeAll(userId)
  return deletedCount
}

function toView({ _id, kind, name, createdAt, lastUsedAt }: FactorDocument): FactorView {
  return { id: String(_id), kind, name, createdAt, lastUsedAt }
}
