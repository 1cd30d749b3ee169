import { ApiError } from '@create-api/core'
import { type AuthRequest, type RequestFacts } from '@create-api/core/auth'
import { parseInput, type SignInContext, toFacts } from '@create-api/core/internal/sign-in'
import { isObjectIdOrHexString } from 'mongoose'
import { removeLogin } from '../remove-login.ts'
import { beginLogin, beginReauthentication, completeLogin, reauthenticate } from './assertion.ts'
import { type PasskeyDocument } from './passkey-models.ts'
import { type PasskeyParts } from './passkey-parts.ts'
import { assertionInput, nameInput, registrationInput } from './passkey-schemas.ts'
import { type Passkeys, type PasskeyView } from './passkeys.ts'
import { beginRegistration, completeRegistration } from './registration.ts'

type Limited = <T>(
  name: 'factors' | 'passkeyLogin' | 'secondFactor',
  request: AuthRequest | undefined,
  work: (facts: RequestFacts) => Promise<T>,
) => Promise<T>

// Routes count requests themselves: for them, `takeLimit` does nothing.
export function createPasskeys(
  parts: PasskeyParts,
  takeLimit: SignInContext['takeLimit'],
): Passkeys {
  const { context, models } = parts
  const { events, now } = context
  const limited: Limited = async (name, request, work) => {
    const facts = toFacts(request, now())
    const takeBack = await takeLimit(name, facts)
    const result = await work(facts)
    // A success does not count towards the limit of failures.
    if (name === 'secondFactor') takeBack()
    return result
  }
  return {
    async list(userId) {
      return (await models.passkeys.find({ userId }).sort({ _id: 1 }).lean()).map(toView)
    },
    beginRegistration: async (caller, request) =>
      limited('factors', request, () => beginRegistration(parts, caller)),
    completeRegistration: async (caller, input, request) =>
      limited('factors', request, async (facts) => {
        const parsed = parseInput(registrationInput, input)
        return toView(await completeRegistration(parts, caller, parsed, facts))
      }),
    beginLogin: async (request) => limited('passkeyLogin', request, () => beginLogin(parts)),
    completeLogin: async (input, request) =>
      limited('secondFactor', request, (facts) =>
        completeLogin(parts, parseInput(assertionInput, input), facts),
      ),
    beginReauthentication: async (caller, request) =>
      limited('factors', request, () => beginReauthentication(parts, caller)),
    reauthenticate: async (caller, input, request) =>
      limited('secondFactor', request, (facts) =>
        reauthenticate(parts, caller, parseInput(assertionInput, input), facts),
      ),
    async rename(userId, id, input) {
      return toView(await rename(parts, { userId, id }, parseInput(nameInput, input).name))
    },
    async remove(userId, id, request) {
      await remove(parts, { userId, id })
      events.emit('auth.passkey_removed', toFacts(request, now()), { userId })
    },
  }
}

interface OwnPasskey {
  readonly userId: string
  readonly id: string
}

async function rename(
  { models }: PasskeyParts,
  { id, userId }: OwnPasskey,
  name: string,
): Promise<PasskeyDocument> {
  const renamed =
    isObjectIdOrHexString(id) &&
    (await models.passkeys
      .findOneAndUpdate({ _id: id, userId }, { $set: { name } }, { returnDocument: 'after' })
      .lean())
  if (!renamed) throw new ApiError('not_found')
  return renamed
}

async function remove(
  { canLogIn, models }: PasskeyParts,
  { id, userId }: OwnPasskey,
): Promise<void> {
  if (!isObjectIdOrHexString(id)) throw new ApiError('not_found')
  await removeLogin(models.passkeys, { _id: id, userId }, () => canLogIn(userId))
}

function toView({ _id, name, transports, ...passkey }: PasskeyDocument): PasskeyView {
  const { backedUp, backupEligible, createdAt, lastUsedAt } = passkey
  return { id: String(_id), name, transports, backupEligible, backedUp, createdAt, lastUsedAt }
}
