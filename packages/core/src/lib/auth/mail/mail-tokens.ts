import { createHash, randomBytes } from 'node:crypto'
import { type Model, Schema, trusted } from 'mongoose'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'

export type MailTokenKind = 'verify-email' | 'reset-password' | 'change-email'

// A link that was sent; it is removed when it is used.
interface MailTokenDocument {
  /** SHA-256 of the token: nothing that could be presented. */
  _id: string
  kind: MailTokenKind
  userId: string
  /** Address it was sent to; a link verifies this one and no other. */
  email: string
  /** The TTL index uses it. */
  expiresAt: Date
}

export type MailTokenModel = Model<MailTokenDocument>

const schema = new Schema<MailTokenDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    userId: { type: String, required: true },
    email: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
)
schema.index({ userId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createMailTokenModel(place: ModelPlace): MailTokenModel {
  return requireModel(place, {
    name: 'MailToken',
    collection: 'mailtokens',
    schema,
    personal: { user: 'userId', fields: ['kind', 'email', 'expiresAt'] },
  })
}

// The user that a link belongs to.
export interface MailTokenSubject {
  readonly userId: string
  readonly email: string
}

// The tokens of links in e-mails.
export interface MailTokens {
  /** In milliseconds. */
  readonly lifetimes: Readonly<Record<MailTokenKind, number>>
  /** Creates a token; earlier ones of the same kind and user become invalid. */
  issue(kind: MailTokenKind, subject: MailTokenSubject): Promise<string>
  /** Looks a token up without using it. */
  find(kind: MailTokenKind, token: string): Promise<MailTokenSubject | undefined>
  /** Uses a token: one of several concurrent calls gets the subject. */
  take(kind: MailTokenKind, token: string): Promise<MailTokenSubject | undefined>
  /** Removes all tokens of a user. */
  removeAll(userId: string): Promise<void>
}

export function createMailTokens(
  model: MailTokenModel,
  lifetimes: MailTokens['lifetimes'],
  now: () => number,
): MailTokens {
  const toFilter = (kind: MailTokenKind, token: string): Record<string, unknown> => ({
    _id: toDigest(token),
    kind,
    expiresAt: trusted({ $gt: new Date(now()) }),
  })
  return {
    lifetimes,
    async issue(kind, { userId, email }) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(now() + lifetimes[kind])
      await model.deleteMany({ kind, userId })
      await model.insertOne({ _id: toDigest(token), kind, userId, email, expiresAt })
      return token
    },
    find: async (kind, token) => (await model.findOne(toFilter(kind, token)).lean()) ?? undefined,
    take: async (kind, token) =>
      (await model.findOneAndDelete(toFilter(kind, token)).lean()) ?? undefined,
    async removeAll(userId) {
      await model.deleteMany({ userId })
    },
  }
}

function toDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
