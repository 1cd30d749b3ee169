import { ApiError } from '@create-api/core'
import { type AuthGrant, type RequestFacts, type SessionCaller } from '@create-api/core/auth'
import { majority } from '@create-api/core/internal/sign-in'
import { trusted } from 'mongoose'
import { signInErrors } from '../errors.ts'
import { challengeLifetime, challengeSeconds, type ChallengeUse } from './challenges.ts'
import { type PasskeyDocument } from './passkey-models.ts'
import { type PasskeySettings } from './passkey-options.ts'
import { type PasskeyParts } from './passkey-parts.ts'
import { type PasskeyAssertionInput } from './passkey-schemas.ts'
import { type BegunPasskeyAssertion } from './passkeys.ts'
import { toDescriptor, toUserHandle } from './to-options.ts'
import { verifyAssertion } from './verify-credential.ts'

const login: ChallengeUse = { purpose: 'login', userId: null, sessionId: null }

export function beginLogin(parts: PasskeyParts): Promise<BegunPasskeyAssertion> {
  return begin(parts, login, { passkeys: [], ...parts.settings })
}

// Throws ApiError `invalid_token`, `invalid_passkey`, `second_factor_required` or `second_factor_setup_required`.
export async function completeLogin(
  parts: PasskeyParts,
  input: PasskeyAssertionInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { beforeSession, context } = parts
  const { userVerification } = parts.settings
  const { userId, userVerified } = await complete(parts, login, { input, userVerification, facts })
  const user = await context.users.findById(userId)
  if (!user || user.disabled) throw new ApiError(signInErrors.invalid_passkey)
  await context.beforeLogin(user, facts)
  // Otherwise the passkey is two factors: the authenticator, and what unlocks it.
  if (!userVerified) await beforeSession(user, facts)
  context.events.emit('auth.passkey_used', facts, { userId })
  return context.openSession(userId, facts, { multiFactor: userVerified })
}

// Throws ApiError `not_found` when the user has no passkey.
export async function beginReauthentication(
  parts: PasskeyParts,
  caller: Required<SessionCaller>,
): Promise<BegunPasskeyAssertion> {
  const { userId } = caller
  const passkeys = await parts.models.passkeys.find({ userId }).lean()
  if (passkeys.length === 0) throw new ApiError('not_found')
  return begin(parts, toUse(caller), { passkeys, userVerification: 'required' })
}

// Throws ApiError `invalid_token`, `invalid_passkey` or `session_revoked`.
export async function reauthenticate(
  parts: PasskeyParts,
  caller: Required<SessionCaller>,
  input: PasskeyAssertionInput,
  facts: RequestFacts,
): Promise<void> {
  const { events, sessions } = parts.context
  await complete(parts, toUse(caller), { input, userVerification: 'required', facts })
  if (!(await sessions.noteProof({ ...caller, multiFactor: true })))
    throw new ApiError('session_revoked')
  events.emit('auth.reauthenticated', facts, { ...caller })
}

function toUse({ sessionId, userId }: Required<SessionCaller>): ChallengeUse {
  return { purpose: 'reauthentication', userId, sessionId }
}

interface Begin extends Pick<PasskeySettings, 'userVerification'> {
  /** Those that are asked for; empty for any. */
  readonly passkeys: readonly PasskeyDocument[]
}

async function begin(
  { challenges, settings }: PasskeyParts,
  use: ChallengeUse,
  { passkeys, userVerification }: Begin,
): Promise<BegunPasskeyAssertion> {
  const { challenge, requestToken } = await challenges.create(use)
  return {
    requestToken,
    expiresIn: challengeSeconds,
    publicKey: {
      challenge,
      timeout: challengeLifetime,
      rpId: settings.id,
      allowCredentials: passkeys.map(toDescriptor),
      userVerification,
    },
  }
}

interface Completion extends Pick<PasskeySettings, 'userVerification'> {
  readonly input: PasskeyAssertionInput
  readonly facts: RequestFacts
}

async function complete(
  { challenges, context, models, settings }: PasskeyParts,
  use: ChallengeUse,
  { facts, input, userVerification }: Completion,
): Promise<{ userId: string; userVerified: boolean }> {
  const { credential, requestToken } = input
  const challenge = await challenges.take(requestToken, use)
  if (challenge === undefined) throw new ApiError('invalid_token')
  const passkey = await models.passkeys.findOne({ credentialId: credential.id }).lean()
  const refuse = (reason: string): ApiError => {
    context.events.emit('auth.passkey_failed', facts, { userId: passkey?.userId, reason })
    return new ApiError(signInErrors.invalid_passkey)
  }
  if (!passkey || !isOfUser(passkey, use.userId, credential.response.userHandle)) {
    throw refuse('unknown')
  }
  const expected = { challenge, passkey, settings, userVerification }
  const verified = await verifyAssertion(credential, expected)
  if (!verified) throw refuse('not_verified')
  const { backedUp, counter, userVerified } = verified
  // An authenticator that counts must have counted: otherwise there may be a copy of it (section 6.1.1).
  const isLater = counter === 0 ? 0 : trusted({ $lt: counter })
  const { matchedCount } = await models.passkeys.updateOne(
    { _id: passkey._id, counter: isLater },
    { $set: { counter, backedUp, lastUsedAt: new Date(context.now()) } },
    majority,
  )
  if (matchedCount === 0) throw refuse('counter')
  return { userId: passkey.userId, userVerified }
}

// Where the user is not known yet, the handle has to show that the authenticator means this one (section 7.2, step 6).
function isOfUser(
  passkey: PasskeyDocument,
  userId: string | null,
  userHandle: string | null | undefined,
): boolean {
  const handle = toUserHandle(passkey.userId)
  return userId === null
    ? userHandle === handle
    : userId === passkey.userId && (userHandle ?? handle) === handle
}
