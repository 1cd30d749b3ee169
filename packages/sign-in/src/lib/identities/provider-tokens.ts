import { ApiError } from '@create-api/core'
import { type Account } from './account.ts'
import { type IdentityDocument } from './identity-models.ts'
import { type IdentityParts } from './identity-parts.ts'
import { type StoredTokens } from './provider-client.ts'
import { toProviderError } from './rejection.ts'

/** Tokens of a provider for a user. */
export interface ProviderTokens {
  /** Access token for the APIs of the provider. */
  readonly accessToken: string
  /**
   * Time at which it expires.
   * @default undefined, the provider does not say
   */
  readonly expiresAt?: Date | undefined
}

// A token that expires while it is on its way would be rejected.
const leeway = 60_000

// A provider may send a refresh token with the first login only.
export async function saveTokens(
  parts: Pick<IdentityParts, 'box' | 'models'>,
  { id, tokens }: Pick<Account, 'id' | 'tokens'>,
): Promise<void> {
  if (!tokens) return
  const { box, models } = parts
  const stored = await models.identities.findOne({ _id: id }).lean()
  const merged = { refreshToken: open(parts, stored)?.refreshToken, ...tokens }
  const sealed = box.seal(JSON.stringify(merged), id)
  await models.identities.updateOne({ _id: id }, { $set: { tokens: sealed } })
}

// The tokens of a user, refreshed if they expire. Concurrent calls of a process share one refresh: a provider may accept a refresh
// token once.
export function createTokenReader(
  parts: IdentityParts,
): (userId: string, provider: string) => Promise<ProviderTokens> {
  const running = new Map<string, Promise<ProviderTokens>>()
  return (userId, provider) => {
    const key = `${provider} ${userId}`
    const call =
      running.get(key) ?? read(parts, userId, provider).finally(() => running.delete(key))
    running.set(key, call)
    return call
  }
}

async function read(
  parts: IdentityParts,
  userId: string,
  provider: string,
): Promise<ProviderTokens> {
  const { clients, context, models } = parts
  const identity = await models.identities.findOne({ userId, provider }).lean()
  const tokens = open(parts, identity)
  const client = clients.get(provider)
  if (!identity || !tokens || !client) throw new ApiError('not_found')
  const { expiresAt = Infinity, refreshToken } = tokens
  if (expiresAt - leeway > context.now() || refreshToken === undefined) return toView(tokens)
  const renewed = await client.refresh(refreshToken).catch((error: unknown) => {
    throw toProviderError(parts, provider, error)
  })
  await saveTokens(parts, { id: identity._id, tokens: renewed })
  return toView(renewed)
}

function open(
  { box }: Pick<IdentityParts, 'box'>,
  identity: Pick<IdentityDocument, '_id' | 'tokens'> | null,
): StoredTokens | undefined {
  const opened = identity?.tokens ? box.open(identity.tokens, identity._id) : undefined
  return opened && JSON.parse(opened.text)
}

function toView({ accessToken, expiresAt }: StoredTokens): ProviderTokens {
  return { accessToken, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) }
}
