import { type Model } from 'mongoose'
import { majority } from '@create-api/core/internal/sign-in'
import { createCode } from '../codes.ts'
import { toDigest } from '../digest.ts'
import { type RecoveryCodeDocument } from './factor-models.ts'

const count = 10
const length = 24
const groups = /.{6}(?=.)/g

export interface RecoveryCodes {
  /** Creates ten codes, which replace those of before. */
  create: (userId: string) => Promise<string[]>
  count: (userId: string) => Promise<number>
  /** Uses a code: one of several concurrent calls does. */
  take: (userId: string, code: string) => Promise<boolean>
  removeAll: (userId: string) => Promise<void>
}

// A code has 120 random bits, so a digest is enough to store it (OWASP ASVS 5.0, 6.5.2).
export function createRecoveryCodes(model: Model<RecoveryCodeDocument>): RecoveryCodes {
  return {
    async create(userId) {
      const codes = Array.from({ length: count }, () => createCode(length))
      await model.deleteMany({ userId }, majority)
      await model.insertMany(codes.map((code) => ({ _id: toDigest(userId, code), userId })))
      return codes.map((code) => code.replaceAll(groups, '$&-'))
    },
    count: (userId) => model.countDocuments({ userId }),
    async take(userId, code) {
      const id = toDigest(userId, code.toUpperCase().replaceAll(/[\s-]/g, ''))
      const { deletedCount } = await model.deleteOne({ _id: id, userId }, majority)
      return deletedCount > 0
    },
    async removeAll(userId) {
      await model.deleteMany({ userId }, majority)
    },
  }
}
