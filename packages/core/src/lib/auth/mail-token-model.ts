import { type Model, Schema } from 'mongoose'
import { type ModelPlace, requireModel } from './model-registry.ts'

/** What a link in a mail is good for. */
export type MailTokenKind = 'verify-email' | 'reset-password'

/** A link that was sent; it is gone once it was used. */
export interface MailTokenDocument {
  /** SHA-256 of the token: nothing that could be presented. */
  _id: string
  kind: MailTokenKind
  /** Id of the user. */
  userId: string
  /** Address it was sent to; a link verifies this one and no other. */
  email: string
  /** When it ends; the TTL index goes by it. */
  expiresAt: Date
}

/** Links as Mongoose knows them. */
export type MailTokenModel = Model<MailTokenDocument>

const schema = new Schema<MailTokenDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    userId: { type: String, required: true },
    email: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
)
schema.index({ userId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

/**
 * The links of a connection; made once, found again after that.
 * @param place - where the documents lie
 * @returns the model `MailToken`
 */
export function createMailTokenModel(place: ModelPlace): MailTokenModel {
  return requireModel(place, { name: 'MailToken', collection: 'mailtokens', schema })
}
