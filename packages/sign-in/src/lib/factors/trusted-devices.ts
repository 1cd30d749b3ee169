import { type Model, trusted } from 'mongoose'
import { majority } from '@create-api/core/internal/sign-in'
import { createToken, toDigest } from '../digest.ts'
import { type TrustedDeviceDocument } from './factor-models.ts'

// Devices that need no code after the password.
export interface TrustedDevices {
  /** Returns the token that the device keeps. */
  create: (userId: string) => Promise<string>
  isTrusted: (userId: string, token: string) => Promise<boolean>
  count: (userId: string) => Promise<number>
  removeAll: (userId: string) => Promise<void>
}

const maxDevices = 20

// `lifetime` is in milliseconds.
export function createTrustedDevices(
  model: Model<TrustedDeviceDocument>,
  { lifetime, now }: { lifetime: number; now: () => number },
): TrustedDevices {
  const live = (userId: string): Record<string, unknown> => ({
    userId,
    expiresAt: trusted({ $gt: new Date(now()) }),
  })
  return {
    async create(userId) {
      const token = createToken()
      const expiresAt = new Date(now() + lifetime)
      await model.insertOne({ _id: toDigest(userId, token), userId, expiresAt })
      const surplus = await model.find({ userId }).sort({ expiresAt: -1 }).skip(maxDevices).lean()
      await model.deleteMany({ _id: trusted({ $in: surplus.map(({ _id }) => _id) }) })
      return token
    },
    async isTrusted(userId, token) {
      return (await model.exists({ _id: toDigest(userId, token), ...live(userId) })) !== null
    },
    count: (userId) => model.countDocuments(live(userId)),
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}
