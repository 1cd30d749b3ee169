import { type Model, Schema } from 'mongoose'
import { type ModelPlace, requireModel } from '@create-api/core/internal/sign-in'

// A login by mail that was requested.
export interface LoginLinkDocument {
  /** SHA-256 of the token that the client has which requested it. */
  _id: string
  /** Null where the address is unknown: the request does the same work. */
  userId: string | null
  /** Address that it was sent to. */
  email: string
  /** Digest of the token in the link. */
  link: string
  /** Digest of the code. */
  code: string
  /** How often the link or the code was tried. */
  attempts: number
  expiresAt: Date
}

const text = { type: String, required: true } as const

const schema = new Schema<LoginLinkDocument>(
  {
    _id: text,
    userId: { type: String, default: null },
    email: text,
    link: text,
    code: text,
    attempts: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false, writeConcern: { w: 'majority' } },
)
schema.index({ userId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createLoginLinkModel(place: ModelPlace): Model<LoginLinkDocument> {
  return requireModel(place, {
    name: 'LoginLink',
    collection: 'loginlinks',
    schema,
    personal: { user: 'userId', fields: ['email', 'expiresAt'] },
  })
}
