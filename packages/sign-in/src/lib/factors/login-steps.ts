import { type Model, trusted } from 'mongoose'
import { majority } from '@create-api/core/internal/sign-in'
import { createToken, toDigest } from '../digest.ts'
import { type LoginStepDocument } from './factor-models.ts'

// A login between the password and the second factor. Its token opens nothing else.
export interface LoginStep {
  readonly userId: string
  readonly setup: boolean
}

export interface LoginSteps {
  create: (step: LoginStep) => Promise<string>
  find: (token: string) => Promise<LoginStep | undefined>
  /** Uses a token: one of several concurrent calls gets the step. */
  take: (token: string) => Promise<LoginStep | undefined>
  removeAll: (userId: string) => Promise<void>
}

// `lifetime` is in milliseconds.
export function createLoginSteps(
  model: Model<LoginStepDocument>,
  { lifetime, now }: { lifetime: number; now: () => number },
): LoginSteps {
  const toFilter = (token: string): Record<string, unknown> => ({
    _id: toDigest(token),
    expiresAt: trusted({ $gt: new Date(now()) }),
  })
  return {
    async create({ userId, setup }) {
      const token = createToken()
      const expiresAt = new Date(now() + lifetime)
      await model.insertOne({ _id: toDigest(token), userId, setup, expiresAt })
      return token
    },
    find: async (token) => (await model.findOne(toFilter(token)).lean()) ?? undefined,
    take: async (token) =>
      (await model.findOneAndDelete(toFilter(token), majority).lean()) ?? undefined,
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}
