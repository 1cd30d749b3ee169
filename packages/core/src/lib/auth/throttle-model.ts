import { type Model, Schema } from 'mongoose'
import { type ModelPlace, requireModel } from './model-registry.ts'

/** Failed logins of one account, or of one account from one address. */
export interface ThrottleDocument {
  /** Digest of account and lane. */
  _id: string
  /** Failures since the last success, or since the last quiet window. */
  failures: number
  /** Until when no attempt is looked at. */
  blockedUntil: Date | null
  /** When it is forgotten; the TTL index goes by it. */
  expiresAt: Date
}

/** Throttles as Mongoose knows them. */
export type ThrottleModel = Model<ThrottleDocument>

const schema = new Schema<ThrottleDocument>(
  {
    _id: { type: String, required: true },
    failures: { type: Number, required: true },
    blockedUntil: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
)
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

/**
 * The throttles of a connection; made once, found again after that.
 * @param place - where the documents lie
 * @returns the model `LoginThrottle`
 */
export function createThrottleModel(place: ModelPlace): ThrottleModel {
  return requireModel(place, { name: 'LoginThrottle', collection: 'loginthrottles', schema })
}
