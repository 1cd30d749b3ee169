import { isObjectIdOrHexString, trusted, Types } from 'mongoose'
import { type Logger } from '../../logging/logger.ts'
import { createApiKeyText, toApiKeyHash } from './api-key-format.ts'
import { type ApiKeyDocument, type ApiKeyModel } from './api-key-model.ts'
import { setBounded } from '../storage/set-bounded.ts'
import { majority } from '../../database/write-concern.ts'
import { batchReads, withDatabaseTimeout } from '../storage/shared-work.ts'

/** A key, of any user or of a certain one. */
export interface ApiKeyId {
  /** Id of the key. */
  readonly id: string
  /**
   * Id of the user who must be its owner.
   * @default undefined, any
   */
  readonly userId?: string | undefined
}

export type NewApiKeyDocument = Pick<
  ApiKeyDocument,
  'userId' | 'name' | 'scopes' | 'memberships' | 'multiFactor' | 'createdAt' | 'expiresAt'
>

// A stored key, and its text, which is nowhere else.
export interface CreatedApiKey {
  readonly document: ApiKeyDocument
  readonly text: string
}

// The API keys of all users.
export interface ApiKeyStore {
  /** Finds a key by its text, live or not. */
  find(text: string): Promise<ApiKeyDocument | undefined>
  create(key: NewApiKeyDocument): Promise<CreatedApiKey>
  /** Number of live keys of a user that have no successor. */
  count(userId: string): Promise<number>
  /** The live keys of a user, the newest first. */
  list(userId: string): Promise<ApiKeyDocument[]>
  findLive(key: ApiKeyId): Promise<ApiKeyDocument | undefined>
  /** Lets a live key end at a time; false when it was rotated already, or is not live. */
  supersede(key: ApiKeyId, expiresAt: Date): Promise<boolean>
  /** Ends a live key; returns it, or undefined when it is not live. */
  revoke(key: ApiKeyId): Promise<ApiKeyDocument | undefined>
  /** Ends the live keys of a user; returns how many. */
  revokeAll(userId: string): Promise<number>
  /** Removes a key that was never given out. */
  discard(key: ApiKeyDocument): Promise<void>
  removeAll(userId: string): Promise<void>
  /** Notes in the background that a key was used. */
  noteUse(key: ApiKeyDocument): void
  /** Waits for the notes under way. */
  flush(): Promise<void>
}

export interface ApiKeyStoreSettings {
  readonly prefix: string
  readonly now: () => number
  readonly logger: Logger
}

export function createApiKeyStore(model: ApiKeyModel, settings: ApiKeyStoreSettings): ApiKeyStore {
  const { prefix, now } = settings
  const read = batchReads((hashes) => readKeys(model, hashes))
  const isLive = (): Record<string, unknown> => ({
    revokedAt: null,
    expiresAt: trusted({ $gt: new Date(now()) }),
  })
  return {
    // Found by an index of hashes: no comparison of secrets could be timed.
    find: (text) => read(toApiKeyHash(text)),
    async create(key) {
      const text = createApiKeyText(prefix)
      const own = { hash: toApiKeyHash(text), lastFour: text.slice(-4) }
      const document = await model.insertOne({ ...key, ...own }, { w: 'majority' })
      return { document: document.toObject(), text }
    },
    count: (userId) => model.countDocuments({ userId, rotatedAt: null, ...isLive() }),
    list: (userId) =>
      model
        .find({ userId, ...isLive() })
        .sort({ createdAt: -1, _id: -1 })
        .lean(),
    async findLive(key) {
      return (await model.findOne({ ...toFilter(key), ...isLive() }).lean()) ?? undefined
    },
    // One conditional update: of two concurrent rotations one finds the key.
    async supersede(key, expiresAt) {
      const filter = { ...toFilter(key), ...isLive(), rotatedAt: null }
      const change = { $set: { rotatedAt: new Date(now()) }, $min: { expiresAt } }
      return (await model.updateOne(filter, change, majority)).modifiedCount > 0
    },
    async revoke(key) {
      const filter = { ...toFilter(key), ...isLive() }
      return (await model.findOneAndUpdate(filter, toEnd(now()), majority).lean()) ?? undefined
    },
    async revokeAll(userId) {
      const filter = { userId, ...isLive() }
      return (await model.updateMany(filter, toEnd(now()), majority)).modifiedCount
    },
    async discard({ _id }) {
      await model.deleteOne({ _id }, majority)
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
    ...createUseNotes(model, settings),
  }
}

function toEnd(now: number): Record<string, object> {
  const ended = new Date(now)
  return { $set: { revokedAt: ended }, $min: { expiresAt: ended } }
}

async function readKeys(
  model: ApiKeyModel,
  hashes: readonly string[],
): Promise<Map<string, ApiKeyDocument>> {
  const keys = await model.find({ hash: trusted({ $in: hashes }) }).lean()
  return new Map(keys.map((key) => [key.hash, key]))
}

// Text that is not an id finds nothing.
function toFilter({ id, userId }: ApiKeyId): Record<string, unknown> {
  const _id = isObjectIdOrHexString(id) ? new Types.ObjectId(id) : null
  return { _id, ...(userId === undefined ? {} : { userId }) }
}

const noteIntervalMs = 60_000
const maxNoted = 10_000

// Writes the last use of a key once a minute, also when that fails.
function createUseNotes(
  model: ApiKeyModel,
  { now, logger }: ApiKeyStoreSettings,
): Pick<ApiKeyStore, 'noteUse' | 'flush'> {
  const noted = new Map<string, number>()
  const pending = new Set<Promise<void>>()

  async function write(_id: Types.ObjectId, lastUsedAt: Date): Promise<void> {
    try {
      await withDatabaseTimeout(model.updateOne({ _id }, { $max: { lastUsedAt } }).exec())
    } catch (error) {
      logger.warn({ err: error, keyId: String(_id) }, 'the use of an API key could not be noted')
    }
  }

  return {
    noteUse({ _id, lastUsedAt }) {
      const id = String(_id)
      const time = now()
      const last = Math.max(lastUsedAt?.getTime() ?? 0, noted.get(id) ?? 0)
      if (time - last < noteIntervalMs) return
      setBounded(noted, id, time, maxNoted)
      const note = write(_id, new Date(time)).finally(() => pending.delete(note))
      pending.add(note)
    },
    async flush() {
      await Promise.all(pending)
    },
  }
}
