import { ApiError } from '../../errors/api-error.ts'
import {
  type ApiKeyCaller,
  type ApiKeyDependencies,
  type ApiKeyParts,
  loadApiKey,
} from './api-key-caller.ts'
import { type ApiKeyDocument } from './api-key-model.ts'
import { toGrantable } from './api-key-scopes.ts'
import { type ApiKeyId, type CreatedApiKey } from './api-key-store.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { parseInput } from '../../schemas/parse-input.ts'
import { type AuthRequest, type RequestFacts, toFacts } from '../events/request-facts.ts'

/** An API key as its owner sees it. */
export interface ApiKeyView {
  /** Id of the key. */
  readonly id: string
  /** Name that its owner gave it. */
  readonly name: string
  /** Roles and permissions that the key may use, and `user` for what every user may do. */
  readonly scopes: readonly string[]
  /** Last four characters of the key, by which people recognise it. */
  readonly lastFour: string
  /** Time of its creation. */
  readonly createdAt: Date
  /** Time after which it is no longer accepted. */
  readonly expiresAt: Date
  /** Time of its last use, to the minute; null if it was never used. */
  readonly lastUsedAt: Date | null
}

/** A key that has just been created. */
export interface IssuedApiKey extends ApiKeyView {
  /** The key itself, which is not stored: this is the only time that it is shown. */
  readonly key: string
}

/** A key to be created. */
export interface NewApiKey {
  /** Name that its owner gives it, 1 to 100 characters. */
  readonly name: string
  /** Roles and permissions of the owner that the key may use, and `user` for what every user may do. */
  readonly scopes: readonly string[]
  /**
   * Time after which it is no longer accepted; text is in the format of RFC 3339.
   * @default after `apiKeys.lifetime`
   */
  readonly expiresAt?: Date | string | undefined
}

/** Functions that create and end API keys. They need `auth.apiKeys`. */
export interface ApiKeys {
  /**
   * Creates a key.
   * @param userId - id of the owner
   * @param input - name, scopes and expiry
   * @param request - the request that it belongs to
   * @returns the key, with its text
   * @throws ApiError `validation_failed`, `conflict` when the user has too many keys, `not_found` when the
   * user does not exist or is disabled
   */
  create(userId: string, input: NewApiKey, request?: AuthRequest): Promise<IssuedApiKey>
  /**
   * Lists the live keys of a user, the newest first.
   * @param userId - id of the owner
   * @returns the keys
   */
  list(userId: string): Promise<ApiKeyView[]>
  /**
   * Creates a successor with the same name, scopes and lifetime. The old key works for
   * `apiKeys.rotationOverlap` more.
   * @param key - the key
   * @param request - the request that it belongs to
   * @returns the successor, with its text
   * @throws ApiError `not_found` when there is no such live key, `conflict` when it was rotated before
   */
  rotate(key: ApiKeyId, request?: AuthRequest): Promise<IssuedApiKey>
  /**
   * Ends a key at once, in every process.
   * @param key - the key
   * @param request - the request that it belongs to
   * @throws ApiError `not_found` when there is no such live key
   */
  revoke(key: ApiKeyId, request?: AuthRequest): Promise<void>
  /**
   * Ends all keys of a user at once, in every process.
   * @param userId - id of the owner
   * @param request - the request that it belongs to
   * @returns how many keys have ended
   */
  revokeAll(userId: string, request?: AuthRequest): Promise<number>
  /**
   * Verifies a key as a guarded route does, for example the key of a WebSocket.
   * @param key - the key, without the scheme
   * @param request - the request that it belongs to
   * @returns its owner and its scopes
   * @throws ApiError `invalid_token`, `token_expired` or `rate_limited`
   */
  verify(key: string, request?: AuthRequest): Promise<ApiKeyCaller>
}

export function createApiKeys(use: () => ApiKeyDependencies, schemas: RouteSchemas): ApiKeys {
  const toOwn = (request: AuthRequest | undefined): RequestFacts =>
    toFacts(request, use().settings.now())
  return {
    create: async (userId, { expiresAt, ...input }, request) => {
      const time = expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt
      const parsed = parseInput(schemas.newKey, { ...input, expiresAt: time })
      return createApiKey(use(), userId, { ...parsed, multiFactor: true }, toOwn(request))
    },
    list: async (userId) => listApiKeys(use(), userId),
    rotate: async (key, request) => rotateApiKey(use(), key, toOwn(request)),
    revoke: async (key, request) => revokeApiKey(use(), key, toOwn(request)),
    revokeAll: async (userId, request) => revokeAllApiKeys(use(), userId, toOwn(request)),
    verify: async (key, request) => loadApiKey(use(), key, request),
  }
}

interface ParsedApiKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string | undefined
  readonly multiFactor: boolean
}

// Throws ApiError `validation_failed`, `conflict` or `not_found`.
export async function createApiKey(
  dependencies: ApiKeyDependencies,
  userId: string,
  { name, scopes, expiresAt, multiFactor }: ParsedApiKey,
  facts: RequestFacts,
): Promise<IssuedApiKey> {
  const { options, store } = requireApiKeys(dependencies)
  const { users, settings, events } = dependencies
  const owner = await users.findById(userId)
  if (!owner || owner.disabled) throw new ApiError('not_found')
  const now = settings.now()
  requireGrantable(toGrantable(dependencies.toUserView(owner)), scopes)
  const created = await store.create({
    userId,
    name,
    scopes: [...new Set(scopes)],
    memberships: await settings.readMemberships?.(userId),
    multiFactor,
    createdAt: new Date(now),
    expiresAt: new Date(toExpiry(expiresAt, now, options)),
  })
  // Counted after it was stored: of concurrent requests none exceeds the maximum.
  if ((await store.count(userId)) > options.perUser) {
    await store.discard(created.document)
    const detail = `There are ${options.perUser} API keys. Revoke one first.`
    throw new ApiError('conflict', { detail })
  }
  events.emit('auth.api_key_created', facts, { userId, keyId: String(created.document['_id']) })
  return toIssued(created)
}

export async function listApiKeys(
  dependencies: ApiKeyDependencies,
  userId: string,
): Promise<ApiKeyView[]> {
  return (await requireApiKeys(dependencies).store.list(userId)).map(toView)
}

// Throws ApiError `not_found` or `conflict`.
export async function rotateApiKey(
  dependencies: ApiKeyDependencies,
  id: ApiKeyId,
  facts: RequestFacts,
): Promise<IssuedApiKey> {
  const { options, store } = requireApiKeys(dependencies)
  const now = dependencies.settings.now()
  const old = await store.findLive(id)
  if (!old) throw new ApiError('not_found')
  if (old.rotatedAt) throw createRotatedError()
  const { userId, name, scopes, memberships, multiFactor } = old
  const lifetime = old.expiresAt.getTime() - old.createdAt.getTime()
  const expiresAt = new Date(now + Math.min(lifetime, options.maxLifetime))
  // First the successor: when this process ends here, the old key still works.
  const created = await store.create({
    userId,
    name,
    scopes,
    memberships,
    multiFactor,
    createdAt: new Date(now),
    expiresAt,
  })
  if (!(await store.supersede(id, new Date(now + options.rotationOverlap)))) {
    await store.discard(created.document)
    throw createRotatedError()
  }
  dependencies.events.emit('auth.api_key_rotated', facts, { userId, keyId: id.id })
  return toIssued(created)
}

// Throws ApiError `not_found`.
export async function revokeApiKey(
  dependencies: ApiKeyDependencies,
  id: ApiKeyId,
  facts: RequestFacts,
): Promise<void> {
  const revoked = await requireApiKeys(dependencies).store.revoke(id)
  if (!revoked) throw new ApiError('not_found')
  dependencies.events.emit('auth.api_key_revoked', facts, { userId: revoked.userId, keyId: id.id })
}

// A rotation under way finds its key ended, and discards the successor.
export async function revokeAllApiKeys(
  dependencies: ApiKeyDependencies,
  userId: string,
  facts: RequestFacts,
): Promise<number> {
  const count = await requireApiKeys(dependencies).store.revokeAll(userId)
  if (count > 0) dependencies.events.emit('auth.api_key_revoked', facts, { userId, reason: 'all' })
  return count
}

function requireApiKeys({ apiKeys }: Pick<ApiKeyDependencies, 'apiKeys'>): ApiKeyParts {
  if (apiKeys) return apiKeys
  throw new Error('There are no API keys: set auth.apiKeys, for example apiKeys: {}.')
}

function requireGrantable(grantable: readonly string[], scopes: readonly string[]): void {
  const errors = scopes.flatMap((scope, index) =>
    grantable.includes(scope)
      ? []
      : [toFault(`#/scopes/${index}`, `must be one of ${grantable.join(', ')}`)],
  )
  if (errors.length > 0) throw new ApiError('validation_failed', { errors })
}

function toExpiry(given: string | undefined, now: number, options: ApiKeyParts['options']): number {
  const { lifetime, maxLifetime } = options
  if (given === undefined) return now + Math.min(lifetime, maxLifetime)
  const time = Date.parse(given)
  if (time > now && time <= now + maxLifetime) return time
  const latest = new Date(now + maxLifetime).toISOString()
  const detail = `must be in the future, and not after ${latest}`
  throw new ApiError('validation_failed', { errors: [toFault('#/expiresAt', detail)] })
}

type Fault = NonNullable<ApiError['errors']>[number]

function toFault(pointer: string, detail: string): Fault {
  return { in: 'body', pointer, code: 'not_allowed', detail }
}

function createRotatedError(): ApiError {
  return new ApiError('conflict', { detail: 'The API key was rotated before.' })
}

function toView(document: ApiKeyDocument): ApiKeyView {
  const { _id, name, scopes, lastFour, createdAt, expiresAt, lastUsedAt } = document
  return { id: String(_id), name, scopes, lastFour, createdAt, expiresAt, lastUsedAt }
}

function toIssued({ document, text }: CreatedApiKey): IssuedApiKey {
  return { ...toView(document), key: text }
}
