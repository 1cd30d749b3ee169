import mongoose, { type Model, Schema } from 'mongoose'

/** A request that was sent with an `Idempotency-Key`, and its response once it exists. */
export interface IdempotencyRecord {
  /** Digest of caller, method, path and key. */
  _id: string
  /** Digest of URL and body. */
  fingerprint: string
  /** Before this time no other process takes the request over. */
  lockedUntil: Date
  /** When the record is removed. */
  expiresAt: Date
  /** Status of the response; absent while the request is running. */
  status?: number | undefined
  headers?: Record<string, string> | undefined
  body?: string | undefined
}

// The model on Mongoose's default connection, created once.
export function createIdempotencyKeyModel(): Model<IdempotencyRecord> {
  const known: Model<IdempotencyRecord> | undefined = mongoose.models['IdempotencyKey']
  if (known) return known
  const schema = new Schema<IdempotencyRecord>(
    {
      _id: { type: String, required: true },
      fingerprint: { type: String, required: true },
      lockedUntil: { type: Date, required: true },
      expiresAt: { type: Date, required: true },
      status: Number,
      headers: Schema.Types.Mixed,
      body: String,
    },
    { versionKey: false, collection: 'idempotency_keys' },
  )
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  return mongoose.model<IdempotencyRecord>('IdempotencyKey', schema)
}
