import { type Model } from 'mongoose'
import { isDuplicateKey, majority } from '@create-api/core/internal/sign-in'
import { createCode } from '../codes.ts'
import { toDigest } from '../digest.ts'
import { type RecoveryCodesDocument } from './factor-models.ts'

const count = 10
const length = 24
const groups = /.{6}(?=.)/g

export interface RecoveryCodes {
  /** Creates ten codes, which replace those of before. */
  create: (userId: string) => Promise<string[]>
  /** Creates ten codes for a user without any: one of several concurrent calls does. */
  createFirst: (userId: string) => Promise<string[] | undefined>
  count: (userId: string) => Promise<number>
  /** Uses a code: one of several concurrent calls does. */
  take: (userId: string, code: string) => Promise<boolean>
  removeAll: (userId: string) => Promise<void>
}

// A code has 120 random bits, so a digest is enough to store it (OWASP ASVS 5.0, 6.5.2).
export function createRecoveryCodes(model: Model<RecoveryCodesDocument>): RecoveryCodes {
  return {
    async create(userId) {
      const codes = createCodes()
      const replacement = { codes: toDigests(userId, codes) }
      await model.replaceOne({ _id: userId }, replacement, { upsert: true, ...majority })
      return codes.map(toText)
    },
    async createFirst(userId) {
      const codes = createCodes()
      try {
        const set = { codes: toDigests(userId, codes) }
        // A user who has used all codes has an empty list.
        await model.updateOne(
          { _id: userId, codes: [] },
          { $set: set },
          { upsert: true, ...majority },
        )
        return codes.map(toText)
      } catch (error) {
        if (isDuplicateKey(error)) return undefined
        throw error
      }
    },
    count: async (userId) => (await model.findById(userId).lean())?.codes.length ?? 0,
    async take(userId, code) {
      const digest = toDigest(userId, code.toUpperCase().replaceAll(/[\s-]/g, ''))
      const { modifiedCount } = await model.updateOne(
        { _id: userId, codes: digest },
        { $pull: { codes: digest } },
        majority,
      )
      return modifiedCount > 0
    },
    async removeAll(userId) {
      await model.deleteOne({ _id: userId }, majority)
    },
  }
}

function createCodes(): string[] {
  return Array.from({ length: count }, () => createCode(length))
}

function toDigests(userId: string, codes: readonly string[]): string[] {
  return codes.map((code) => toDigest(userId, code))
}

function toText(code: string): string {
  return code.replaceAll(groups, '$&-')
}
