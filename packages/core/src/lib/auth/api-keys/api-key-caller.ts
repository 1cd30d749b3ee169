import { ApiError } from '../../errors/api-error.ts'
import { type User } from '../../access/caller.ts'
import { type Membership, type PresentedApiKey } from '../../route/request.ts'
import { isApiKeyText, isIntact } from './api-key-format.ts'
import { type ApiKeyDocument } from './api-key-model.ts'
import { narrowUser } from './api-key-scopes.ts'
import { type CredentialLimit } from '../limits/auth-limits.ts'
import { type SecurityEvents } from '../events/security-events.ts'
import { type PermissionsOf } from '../users/permissions.ts'
import { type ToUserView } from '../users/user-view.ts'
import { type ApiKeyValues } from './api-key-options.ts'
import { type ApiKeyStore } from './api-key-store.ts'
import { type AuthRequest, toFacts } from '../events/request-facts.ts'
import { type StoredUser, type UserStore } from '../users/user-store.ts'

/** The caller that an API key belongs to. */
export interface ApiKeyCaller {
  /** The owner, with the roles and permissions that the key may use. */
  readonly user: User
  /** The key. */
  readonly apiKey: PresentedApiKey
}

export interface ApiKeyParts {
  readonly options: ApiKeyValues
  readonly store: ApiKeyStore
  readonly limit: CredentialLimit
}

// Reads the organizations of a user; undefined where the service has none.
export type ReadMemberships = (userId: string) => Promise<Membership[]> | undefined

export interface ApiKeyDependencies {
  readonly settings: {
    readonly now: () => number
    readonly readMemberships?: ReadMemberships | undefined
  }
  /** Undefined when there are no API keys. */
  readonly apiKeys: ApiKeyParts | undefined
  readonly users: UserStore
  /** Throws for a key that was created without a second factor, where its owner must have one. */
  readonly signIn: { readonly requireFactor: (owner: StoredUser) => Promise<void> } | undefined
  readonly toUserView: ToUserView
  readonly permissionsOf: PermissionsOf
  readonly events: SecurityEvents
}

// Whether a token is to be read as an API key.
export function isApiKey({ apiKeys }: Pick<ApiKeyDependencies, 'apiKeys'>, token: string): boolean {
  return apiKeys !== undefined && isApiKeyText(apiKeys.options.prefix, token)
}

// The caller of an API key. Key and owner are read for each request, in stateless mode too, so that
// revoking, expiry and a disabled owner hold at once. Throws ApiError `invalid_token`, `token_expired` or
// `rate_limited`.
export async function loadApiKey(
  dependencies: ApiKeyDependencies,
  text: string,
  request: AuthRequest | undefined,
): Promise<ApiKeyCaller> {
  const { apiKeys, users, settings } = dependencies
  if (!apiKeys || !isIntact(apiKeys.options.prefix, text))
    throw reject(dependencies, request, 'mistyped')
  const key = await apiKeys.store.find(text)
  if (!key) throw reject(dependencies, request, 'unknown')
  await apiKeys.limit(String(key['_id']))
  const owner = await users.findById(key.userId)
  const fault = findFault(key, owner, settings.now())
  if (fault !== undefined || !owner)
    throw reject(dependencies, request, fault ?? 'owner_disabled', key)
  if (!key.multiFactor) await dependencies.signIn?.requireFactor(owner)
  apiKeys.store.noteUse(key)
  const { _id: id, name, scopes, memberships = [] } = key
  const user = narrowUser(dependencies.toUserView(owner), scopes, dependencies.permissionsOf)
  return { user, apiKey: { id: String(id), name, scopes, memberships } }
}

const faults = {
  mistyped: ['invalid_token', 'The API key is mistyped or incomplete.'],
  unknown: ['invalid_token', 'There is no such API key.'],
  revoked: ['invalid_token', 'The API key has been revoked.'],
  expired: ['token_expired', 'The API key has expired.'],
  owner_disabled: ['invalid_token', 'The API key has been revoked.'],
} as const

type Fault = keyof typeof faults

function findFault(
  key: ApiKeyDocument,
  owner: StoredUser | undefined,
  now: number,
): Fault | undefined {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt.getTime() <= now) return 'expired'
  return !owner || owner.disabled ? 'owner_disabled' : undefined
}

// The use of a key that once worked has its own event: someone still has it.
function reject(
  { events, settings }: ApiKeyDependencies,
  request: AuthRequest | undefined,
  fault: Fault,
  key?: ApiKeyDocument,
): ApiError {
  const [code, detail] = faults[fault]
  const facts = toFacts(request, settings.now())
  if (key) {
    const details = { userId: key.userId, keyId: String(key['_id']), reason: fault }
    events.emit('auth.api_key_rejected', facts, details)
  } else events.emit('auth.unauthenticated', facts, { reason: code })
  return new ApiError(code, { detail })
}
