import { createHash, randomBytes } from 'node:crypto'
import { trusted } from 'mongoose'
import { type MailTokenKind, type MailTokenModel } from './mail-token-model.ts'

/** Whom a link is for. */
export interface MailTokenSubject {
  readonly userId: string
  readonly email: string
}

/** The links in mails. */
export interface MailTokens {
  /** How long each kind is good, in milliseconds. */
  readonly lifetimes: Readonly<Record<MailTokenKind, number>>
  /** Makes a link's token; those made before for the same end. */
  issue(kind: MailTokenKind, subject: MailTokenSubject): Promise<string>
  /** Looks a token up without using it. */
  find(kind: MailTokenKind, token: string): Promise<MailTokenSubject | undefined>
  /** Uses a token: of several that try at the same time, one has it. */
  take(kind: MailTokenKind, token: string): Promise<MailTokenSubject | undefined>
  /** Ends all links of a user. */
  removeAll(userId: string): Promise<void>
}

/** Settings of links. */
export interface MailTokenSettings {
  /** Lifetimes in milliseconds. */
  lifetimes: Readonly<Record<MailTokenKind, number>>
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Makes the keeper of links.
 * @param model - the documents
 * @param settings - lifetimes and clock
 * @returns the keeper
 */
export function createMailTokens(model: MailTokenModel, settings: MailTokenSettings): MailTokens {
  const { lifetimes, now } = settings
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
