import { type ModelPlace, requireModel } from '@create-api/core/internal/sign-in'
import { type Model, Schema } from 'mongoose'

// An account of a provider. Without a user it is reserved by a login that links it.
export interface IdentityDocument {
  /** Digest of issuer and subject. */
  _id: string
  /** Null until it is linked. */
  userId: string | null
  /** Name of the provider in the options. */
  provider: string
  /** Address that the provider gave at the last login. */
  email: string | null
  /** Tokens of the provider, encrypted; null when they are not kept. */
  tokens: string | null
  /** Whether its removal has begun. */
  isLeaving: boolean
  createdAt: Date
  lastUsedAt: Date | null
  /** End of the reservation; null once it is linked. */
  expiresAt: Date | null
}

// A step of a login that waits for the next one.
export interface IdentityStepDocument {
  /** Digest of the kind and of the token that continues it. */
  _id: string
  /** Null for a nonce, which any provider can have. */
  provider: string | null
  /** User that the account will be linked to. */
  userId: string | null
  /** Encrypted; what the next step needs. */
  data: string
  expiresAt: Date
}

export interface IdentityModels {
  readonly identities: Model<IdentityDocument>
  readonly steps: Model<IdentityStepDocument>
}

const options = { versionKey: false, writeConcern: { w: 'majority' } } as const
const text = { type: String, required: true } as const
const optionalText = { type: String, default: null } as const
const optionalTime = { type: Date, default: null } as const

const identity = new Schema<IdentityDocument>(
  {
    _id: text,
    userId: optionalText,
    provider: text,
    email: optionalText,
    tokens: optionalText,
    isLeaving: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
    lastUsedAt: optionalTime,
    expiresAt: optionalTime,
  },
  options,
)
identity.index(
  { userId: 1, provider: 1 },
  { unique: true, partialFilterExpression: { userId: { $type: 'string' } } },
)
identity.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

const step = new Schema<IdentityStepDocument>(
  {
    _id: text,
    provider: optionalText,
    userId: optionalText,
    data: text,
    expiresAt: { type: Date, required: true },
  },
  options,
)
step.index({ userId: 1 })
step.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createIdentityModels(place: ModelPlace): IdentityModels {
  return {
    identities: requireModel(place, {
      name: 'Identity',
      collection: 'identities',
      schema: identity,
      personal: { user: 'userId', fields: ['provider', 'email', 'createdAt', 'lastUsedAt'] },
    }),
    steps: requireModel(place, {
      name: 'IdentityStep',
      collection: 'identitysteps',
      schema: step,
      personal: { user: 'userId', fields: [] },
    }),
  }
}
