import mongoose, { type Model, Schema } from 'mongoose'

/** A request that was sent with an `Idempotency-Key`, and its answer once there is one. */
export interface IdempotencyRecord {
  /** Digest of caller, method, path and key. */
  _id: string
  /** Digest of what was asked. */
  fingerprint: string
  /** Until when another process leaves the request to the one that runs it. */
  lockedUntil: Date
  /** When the record is removed. */
  expiresAt: Date
  /** Status of the answer; absent while the request runs. */
  status?: number | undefined
  /** Header fields of the answer. */
  headers?: Record<string, string> | undefined
  /** Body of the answer. */
  body?: string | undefined
}

/**
 * The records on Mongoose's default connection; made once, found again after that.
 * @returns the model `IdempotencyKey`
 */
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
