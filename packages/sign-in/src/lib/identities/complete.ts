import { ApiError } from '@create-api/core'
import { type AuthGrant, type RequestFacts } from '@create-api/core/auth'
import { calculatePKCECodeChallenge } from 'openid-client'
import { signInErrors } from '../errors.ts'
import { type Account, toAccount } from './account.ts'
import { requireClient } from './begin.ts'
import { findUser, type LoginInput } from './find-user.ts'
import { type IdentityDocument } from './identity-models.ts'
import { type IdentityParts } from './identity-parts.ts'
import {
  type CompleteIdentityInput,
  type IdentityLoginInput,
  type IdTokenInput,
} from './identity-schemas.ts'
import { type IdentitySteps, type StepKind } from './identity-steps.ts'
import { linkOnce } from './link-once.ts'
import { saveTokens } from './provider-tokens.ts'
import { noteRejection, toProviderError } from './rejection.ts'

// Opens a session for the account that a browser has returned with.
export async function completeLogin(
  parts: IdentityParts,
  { code, codeVerifier, fields }: IdentityLoginInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { account, userId } = await findCode(parts, { code, codeVerifier })
  if (userId !== null) throw new ApiError('invalid_token')
  return openSession(parts, { account, fields, take: toTake(parts.steps, 'code', code) }, facts)
}

// Opens a session for the account of an ID token.
export async function logInWithToken(
  parts: IdentityParts,
  name: string,
  { fields, idToken, nonce }: IdTokenInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { context, settings, steps } = parts
  const { provider, verify } = requireClient(parts, name)
  if (!verify) throw new ApiError('not_found')
  if (!(await steps.find('nonce', nonce))) throw new ApiError('invalid_token')
  const account = await verify(idToken, nonce)
    .then((claims) => toAccount({ name, provider, schemas: context.schemas, ...settings }, claims))
    .catch((error: unknown) => {
      noteRejection(parts, facts, 'invalid_identity')
      throw toProviderError(parts, name, error)
    })
  return openSession(parts, { account, fields, take: toTake(steps, 'nonce', nonce) }, facts)
}

// Links the account that a browser has returned with to the user who began it. Throws ApiError `invalid_token` or
// `identity_taken`.
export async function completeLink(
  parts: IdentityParts,
  userId: string,
  input: CompleteIdentityInput,
  facts: RequestFacts,
): Promise<IdentityDocument> {
  const { models, steps } = parts
  const step = await findCode(parts, input)
  if (step.userId !== userId) throw new ApiError('invalid_token')
  await toTake(steps, 'code', input.code)()
  const { account } = step
  const owner = await linkOnce(parts, account, async () => ({ id: userId, isNew: false }), facts)
  if (owner !== userId) throw new ApiError(signInErrors.identity_taken)
  await saveTokens(parts, account)
  const identity = await models.identities.findOne({ _id: account.id, userId }).lean()
  if (!identity) throw new ApiError('not_found')
  return identity
}

async function findCode(
  { steps }: IdentityParts,
  { code, codeVerifier }: CompleteIdentityInput,
): Promise<{ readonly account: Account; readonly userId: string | null }> {
  const step = await steps.find('code', code)
  const challenge = await calculatePKCECodeChallenge(codeVerifier)
  if (step?.data.codeChallenge !== challenge) throw new ApiError('invalid_token')
  return { account: step.data.account, userId: step.userId }
}

function toTake(steps: IdentitySteps, kind: StepKind, token: string): () => Promise<void> {
  return async () => {
    if (!(await steps.take(kind, token))) throw new ApiError('invalid_token')
  }
}

async function openSession(
  parts: IdentityParts,
  input: LoginInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { context, models } = parts
  const { account } = input
  const user = await findUser(parts, input, facts)
  if (user.disabled) throw new ApiError('invalid_credentials')
  const changes = { email: account.email, lastUsedAt: new Date(context.now()) }
  await models.identities.updateOne({ _id: account.id, userId: user.id }, { $set: changes })
  await saveTokens(parts, account)
  await context.beforeLogin(user, facts)
  await parts.beforeSession(user, facts)
  context.events.emit('auth.identity_used', facts, { userId: user.id })
  return context.openSession(user.id, facts)
}
