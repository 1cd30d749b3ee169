import { type Connection, type Model, Schema } from 'mongoose'

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
 * @param connection - where the documents lie
 * @returns the model `LoginThrottle`
 */
export function createThrottleModel(connection: Connection): ThrottleModel {
  const known: ThrottleModel | undefined = connection.models['LoginThrottle']
  return known ?? connection.model<ThrottleDocument>('LoginThrottle', schema, 'loginthrottles')
}
