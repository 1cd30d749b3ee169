import { ApiError } from '@create-api/core'
import { type RequestFacts, type SessionCaller } from '@create-api/core/auth'
import { isDuplicateKey, majority } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { challengeLifetime, challengeSeconds, type ChallengeUse } from './challenges.ts'
import { type PasskeyDocument } from './passkey-models.ts'
import { type PasskeyParts } from './passkey-parts.ts'
import { type PasskeyRegistrationInput } from './passkey-schemas.ts'
import { type BegunPasskeyRegistration } from './passkeys.ts'
import { toDescriptor, toUserHandle } from './to-options.ts'
import { algorithms, verifyRegistration } from './verify-credential.ts'

const maxPasskeys = 20

export async function beginRegistration(
  parts: PasskeyParts,
  caller: Required<SessionCaller>,
): Promise<BegunPasskeyRegistration> {
  const { challenges, context, models, settings } = parts
  const user = await context.users.findById(caller.userId)
  if (!user) throw new ApiError('not_found')
  const known = await models.passkeys.find({ userId: user.id }).lean()
  if (known.length >= maxPasskeys) throw new ApiError(signInErrors.too_many_passkeys)
  const { challenge, requestToken } = await challenges.create(toUse(caller))
  return {
    requestToken,
    expiresIn: challengeSeconds,
    publicKey: {
      rp: { id: settings.id, name: settings.name ?? context.serviceName },
      user: { id: toUserHandle(user.id), name: user.email, displayName: user.email },
      challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeLifetime,
      excludeCredentials: known.map(toDescriptor),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: settings.userVerification,
      },
      attestation: 'none',
    },
  }
}

// Throws ApiError `invalid_token`, `invalid_passkey`, `too_many_passkeys` or `passkey_exists`.
export async function completeRegistration(
  parts: PasskeyParts,
  caller: Required<SessionCaller>,
  { credential, name = 'Passkey', requestToken }: PasskeyRegistrationInput,
  facts: RequestFacts,
): Promise<PasskeyDocument> {
  const { challenges, context, models, settings } = parts
  const { userId } = caller
  const challenge = await challenges.take(requestToken, toUse(caller))
  if (challenge === undefined) throw new ApiError('invalid_token')
  const verified = await verifyRegistration(credential, { challenge, settings })
  if (!verified) throw new ApiError(signInErrors.invalid_passkey)
  const createdAt = new Date(context.now())
  const added = await models.passkeys
    .insertOne({ ...verified, userId, name, createdAt })
    .catch((error: unknown) => {
      throw isDuplicateKey(error) ? new ApiError(signInErrors.passkey_exists) : error
    })
  // Counted afterwards: concurrent requests see each other.
  if ((await models.passkeys.countDocuments({ userId })) > maxPasskeys) {
    await models.passkeys.deleteOne({ _id: added._id }, majority)
    throw new ApiError(signInErrors.too_many_passkeys)
  }
  context.events.emit('auth.passkey_added', facts, { userId })
  return added.toObject()
}

function toUse({ sessionId, userId }: Required<SessionCaller>): ChallengeUse {
  return { purpose: 'registration', userId, sessionId }
}
