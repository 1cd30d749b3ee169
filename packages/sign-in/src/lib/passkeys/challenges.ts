import { type Model, trusted } from 'mongoose'
import { majority } from '@create-api/core/internal/sign-in'
import { createToken, toDigest } from '../digest.ts'
import { type ChallengeDocument } from './passkey-models.ts'

// In milliseconds.
export const challengeLifetime = 5 * 60_000
export const challengeSeconds = challengeLifetime / 1000

// What a challenge is for: it works for nothing else.
export type ChallengeUse = Pick<ChallengeDocument, 'purpose' | 'sessionId' | 'userId'>

export interface CreatedChallenge {
  /** For the browser that began. */
  readonly requestToken: string
  /** For its authenticator: 32 random bytes in base64url. */
  readonly challenge: string
}

export interface Challenges {
  create: (use: ChallengeUse) => Promise<CreatedChallenge>
  /** Uses a challenge: one of several concurrent calls gets its digest. */
  take: (requestToken: string, use: ChallengeUse) => Promise<string | undefined>
  removeAll: (userId: string) => Promise<void>
}

export function createChallenges(
  model: Model<ChallengeDocument>,
  { now }: { now: () => number },
): Challenges {
  return {
    async create(use) {
      const [requestToken, challenge] = [createToken(), createToken()]
      await model.insertOne({
        ...use,
        _id: toDigest(requestToken),
        challenge: toDigest(challenge),
        expiresAt: new Date(now() + challengeLifetime),
      })
      return { requestToken, challenge }
    },
    async take(requestToken, use) {
      const later = trusted({ $gt: new Date(now()) })
      const filter = { ...use, _id: toDigest(requestToken), expiresAt: later }
      return (await model.findOneAndDelete(filter, majority).lean())?.challenge
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}
