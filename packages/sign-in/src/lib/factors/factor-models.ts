import { type Model, Schema, type Types } from 'mongoose'
import { type ModelPlace, requireModel } from '@create-api/core/internal/sign-in'

/** A second factor of a user. */
export interface FactorDocument {
  _id: Types.ObjectId
  userId: string
  kind: 'totp'
  name: string
  /** Encrypted. */
  secret: string
  /** The last time step whose code was accepted: each code is accepted once. */
  lastStep: number
  /** Null until the user has proved to have it. */
  confirmedAt: Date | null
  createdAt: Date
  lastUsedAt: Date | null
  /** Whether it was the first one of its user: one of several concurrent confirmations is. */
  first?: boolean
  /** When the TTL index removes it: null once it is confirmed. */
  expiresAt: Date | null
}

// The codes for a user who has lost the other factors.
export interface RecoveryCodesDocument {
  /** Id of the user. */
  _id: string
  /** Digests of user and code. */
  codes: string[]
}

// A login whose password was verified.
export interface LoginStepDocument {
  /** SHA-256 of the token. */
  _id: string
  userId: string
  /** Whether the user has to set up a factor. */
  setup: boolean
  expiresAt: Date
}

// A browser or application that a user has logged in with.
export interface DeviceDocument {
  /** Digest of user and `User-Agent`. */
  _id: string
  userId: string
  expiresAt: Date
}

// A device whose user has given a code, and wants to give none for a time.
export interface TrustedDeviceDocument {
  /** Digest of user and token. */
  _id: string
  userId: string
  expiresAt: Date
}

export interface FactorModels {
  readonly factors: Model<FactorDocument>
  readonly recoveryCodes: Model<RecoveryCodesDocument>
  readonly loginSteps: Model<LoginStepDocument>
  readonly devices: Model<DeviceDocument>
  readonly trustedDevices: Model<TrustedDeviceDocument>
}

const options = { versionKey: false, writeConcern: { w: 'majority' } } as const
const ofUser = { userId: { type: String, required: true } } as const
const text = { type: String, required: true } as const
const time = { type: Date, required: true } as const

const factor = new Schema<FactorDocument>(
  {
    ...ofUser,
    kind: text,
    name: text,
    secret: text,
    lastStep: { type: Number, required: true },
    confirmedAt: { type: Date, default: null },
    createdAt: time,
    lastUsedAt: { type: Date, default: null },
    first: Boolean,
    expiresAt: { type: Date, default: null },
  },
  options,
)
const recoveryCodes = new Schema<RecoveryCodesDocument>({ _id: text, codes: [String] }, options)
const loginStep = new Schema<LoginStepDocument>(
  { _id: text, ...ofUser, setup: { type: Boolean, required: true }, expiresAt: time },
  options,
)
const device = new Schema<DeviceDocument>({ _id: text, ...ofUser, expiresAt: time }, options)
const trustedDevice = new Schema<TrustedDeviceDocument>(
  { _id: text, ...ofUser, expiresAt: time },
  options,
)

factor.index({ userId: 1, first: 1 }, { unique: true, partialFilterExpression: { first: true } })
for (const schema of [factor, loginStep, device, trustedDevice]) {
  schema.index({ userId: 1 })
}
for (const schema of [factor, loginStep, device, trustedDevice]) {
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
}

export function createFactorModels(place: ModelPlace): FactorModels {
  return {
    factors: requireModel(place, {
      name: 'Factor',
      collection: 'factors',
      schema: factor,
      personal: {
        user: 'userId',
        fields: ['kind', 'name', 'confirmedAt', 'createdAt', 'lastUsedAt'],
      },
    }),
    recoveryCodes: requireModel(place, {
      name: 'RecoveryCodes',
      collection: 'recoverycodes',
      schema: recoveryCodes,
      personal: { user: '_id', fields: [] },
    }),
    loginSteps: requireModel(place, {
      name: 'LoginStep',
      collection: 'loginsteps',
      schema: loginStep,
      personal: { user: 'userId', fields: [] },
    }),
    devices: requireModel(place, {
      name: 'Device',
      collection: 'devices',
      schema: device,
      personal: { user: 'userId', fields: ['expiresAt'] },
    }),
    trustedDevices: requireModel(place, {
      name: 'TrustedDevice',
      collection: 'trusteddevices',
      schema: trustedDevice,
      personal: { user: 'userId', fields: ['expiresAt'] },
    }),
  }
}
