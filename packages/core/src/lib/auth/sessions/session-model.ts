import { type Model, Schema, type Types } from 'mongoose'
import { type KeyRing } from '../tokens/keys.ts'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'
import { majority } from '../../database/write-concern.ts'

/** Why a session ended before it expired. */
export type RevokedReason =
  | 'logout'
  | 'logout-all'
  | 'password-changed'
  | 'password-reset'
  | 'reuse'
  | 'revoked'
  | 'limit'

/** One login: the whole family of its refresh tokens is this one document. */
export interface SessionDocument {
  _id: Types.ObjectId
  userId: string
  /** How often the session was refreshed; only the token of this generation is current. */
  gen: number
  /** 32 random bytes, base64url; no token can be created from the key without it. */
  salt: string
  /** Time of the last refresh. */
  rotatedAt: Date | null
  /** Id of the attempt that refreshed it last; one that got no response recognises its own work. */
  attempt: string | null
  /** The last generation whose tokens were returned again in the leeway. */
  reissuedGen: number | null
  /** How many generations in a row up to that one. */
  reissuesInRow: number
  /** The first generation since the last change of the password. */
  renewedGen: number
  /** When it expires unless it is refreshed. */
  idleExpiresAt: Date
  /** When it expires in any case; the TTL index uses it. */
  absoluteExpiresAt: Date
  revokedAt: Date | null
  revokedReason: RevokedReason | null
  createdAt: Date
  /** Time of the last proof of identity; null in sessions of earlier versions, whose proof is the login. */
  authenticatedAt: Date | null
  /** Whether the user has proved more than one factor in it. */
  multiFactor?: boolean
  /** `User-Agent` of the login, at most 256 characters. */
  device: string | null
  /** Client address of the last use. */
  address: string | null
}

// All times in milliseconds.
export interface SessionSettings {
  keys: Pick<KeyRing, 'refresh'>
  refreshIdleLifetime: number
  refreshAbsoluteLifetime: number
  /** How long the direct predecessor of the current token may be presented again. */
  refreshLeeway: number
  /** Maximum difference between the clocks of the hosts. */
  overlapSkew: number
  /** Maximum live sessions of one user. */
  sessionsPerUser: number
  now: () => number
}

export type SessionModel = Model<SessionDocument>

const schema = new Schema<SessionDocument>(
  {
    userId: { type: String, required: true },
    gen: { type: Number, required: true },
    salt: { type: String, required: true },
    rotatedAt: { type: Date, default: null },
    attempt: { type: String, default: null },
    reissuedGen: { type: Number, default: null },
    reissuesInRow: { type: Number, default: 0 },
    renewedGen: { type: Number, default: 0 },
    idleExpiresAt: { type: Date, required: true },
    absoluteExpiresAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
    revokedReason: { type: String, default: null },
    createdAt: { type: Date, required: true },
    authenticatedAt: { type: Date, default: null },
    multiFactor: { type: Boolean, default: false },
    device: { type: String, default: null },
    address: { type: String, default: null },
  },
  { versionKey: false, writeConcern: { w: 'majority' } },
)
schema.index({ userId: 1 })
schema.index({ absoluteExpiresAt: 1 }, { expireAfterSeconds: 0 })

export function createSessionModel(place: ModelPlace): SessionModel {
  return requireModel(place, {
    name: 'Session',
    collection: 'sessions',
    schema,
    personal: {
      user: 'userId',
      fields: ['createdAt', 'rotatedAt', 'absoluteExpiresAt', 'revokedAt', 'device', 'address'],
    },
  })
}

export function findSession(
  model: SessionModel,
  sessionId: string,
): Promise<SessionDocument | null> {
  return model.findById(sessionId).lean().exec()
}

// Returns how many sessions ended.
export async function revokeSessions(
  model: SessionModel,
  filter: Record<string, unknown>,
  reason: RevokedReason,
  now: number,
): Promise<number> {
  const change = { $set: { revokedAt: new Date(now), revokedReason: reason } }
  const { modifiedCount } = await model.updateMany(filter, change, majority)
  return modifiedCount
}
