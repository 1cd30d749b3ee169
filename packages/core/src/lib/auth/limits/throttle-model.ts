import { type Model, Schema } from 'mongoose'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'

export interface ThrottleDocument {
  /** Digest of the throttle key. */
  _id: string
  /** Failures since the last success, or since the last quiet window. */
  failures: number
  /** Attempts before this time are rejected unread. */
  blockedUntil: Date | null
  /** When the TTL index removes it. */
  expiresAt: Date
}

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

export function createThrottleModel(place: ModelPlace): ThrottleModel {
  return requireModel(place, { name: 'LoginThrottle', collection: 'loginthrottles', schema })
}
