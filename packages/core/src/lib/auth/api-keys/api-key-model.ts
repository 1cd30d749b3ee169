import { type Model, Schema, type Types } from 'mongoose'
import { type Membership } from '../../route/request.ts'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'

/** One API key. Its text is not stored. */
export interface ApiKeyDocument {
  _id: Types.ObjectId
  /** Id of the owner. */
  userId: string
  name: string
  /** SHA-256 of the text. */
  hash: string
  /** Last four characters of the text, by which people recognise it. */
  lastFour: string
  scopes: string[]
  /** The organizations of the owner at the time of creation, and the roles there. */
  memberships?: Membership[]
  /** Whether it was created with more than one factor, or by the application. */
  multiFactor?: boolean
  createdAt: Date
  /** Not after this time; revoking and rotating move it forward. */
  expiresAt: Date
  lastUsedAt: Date | null
  rotatedAt: Date | null
  revokedAt: Date | null
}

export type ApiKeyModel = Model<ApiKeyDocument>

// So long a key that ended is still known: its use is then reported as such.
const keptSeconds = 30 * 24 * 3600

const schema = new Schema<ApiKeyDocument>(
  {
    userId: { type: String, required: true },
    name: { type: String, required: true },
    hash: { type: String, required: true },
    lastFour: { type: String, required: true },
    scopes: { type: [String], required: true },
    memberships: [{ _id: false, organization: String, roles: [String] }],
    multiFactor: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    rotatedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
  },
  { versionKey: false, writeConcern: { w: 'majority' } },
)
schema.index({ hash: 1 }, { unique: true })
schema.index({ userId: 1 })
schema.index({ expiresAt: 1 }, { expireAfterSeconds: keptSeconds })

export function createApiKeyModel(place: ModelPlace): ApiKeyModel {
  return requireModel(place, {
    name: 'ApiKey',
    collection: 'apikeys',
    schema,
    personal: {
      user: 'userId',
      fields: ['name', 'lastFour', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt'],
    },
  })
}
