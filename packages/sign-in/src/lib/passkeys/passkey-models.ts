import { type Model, Schema, type Types } from 'mongoose'
import { type ModelPlace, requireModel } from '@create-api/core/internal/sign-in'

/** A passkey of a user: a credential record (Web Authentication Level 3, section 4). */
export interface PasskeyDocument {
  _id: Types.ObjectId
  userId: string
  name: string
  /** Id of the credential in base64url, which its authenticator chose. */
  credentialId: string
  /** COSE key (RFC 9052) in base64url. */
  publicKey: string
  /** How often the authenticator says that it was used; 0 where it does not count. */
  counter: number
  transports: string[]
  backupEligible: boolean
  backedUp: boolean
  /** Whether its removal has begun. */
  isLeaving: boolean
  createdAt: Date
  lastUsedAt: Date | null
}

// A challenge that a browser has to sign.
export interface ChallengeDocument {
  /** SHA-256 of the token that the browser has which began. */
  _id: string
  /** SHA-256 of the challenge. */
  challenge: string
  purpose: 'login' | 'reauthentication' | 'registration'
  /** Null where the user is not known yet. */
  userId: string | null
  sessionId: string | null
  expiresAt: Date
}

export interface PasskeyModels {
  readonly passkeys: Model<PasskeyDocument>
  readonly challenges: Model<ChallengeDocument>
}

const options = { versionKey: false, writeConcern: { w: 'majority' } } as const
const text = { type: String, required: true } as const
const time = { type: Date, required: true } as const
const flag = { type: Boolean, required: true } as const

const passkey = new Schema<PasskeyDocument>(
  {
    userId: text,
    name: text,
    credentialId: text,
    publicKey: text,
    counter: { type: Number, required: true },
    transports: [String],
    backupEligible: flag,
    backedUp: flag,
    isLeaving: { type: Boolean, default: false },
    createdAt: time,
    lastUsedAt: { type: Date, default: null },
  },
  options,
)
passkey.index({ credentialId: 1 }, { unique: true })
passkey.index({ userId: 1 })

const challenge = new Schema<ChallengeDocument>(
  {
    _id: text,
    challenge: text,
    purpose: text,
    userId: { type: String, default: null },
    sessionId: { type: String, default: null },
    expiresAt: time,
  },
  options,
)
challenge.index({ userId: 1 })
challenge.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })

export function createPasskeyModels(place: ModelPlace): PasskeyModels {
  return {
    passkeys: requireModel(place, {
      name: 'Passkey',
      collection: 'passkeys',
      schema: passkey,
      personal: { user: 'userId', fields: ['name', 'transports', 'createdAt', 'lastUsedAt'] },
    }),
    challenges: requireModel(place, {
      name: 'PasskeyChallenge',
      collection: 'passkeychallenges',
      schema: challenge,
      personal: { user: 'userId', fields: [] },
    }),
  }
}
