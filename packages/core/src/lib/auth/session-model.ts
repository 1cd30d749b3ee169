import { type Model, Schema, type Types } from 'mongoose'
import { type ModelPlace, requireModel } from './model-registry.ts'

/** Why a session ended before its time. */
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
  /** Id of the user. */
  userId: string
  /** How often the session was refreshed; only the token of this generation is current. */
  gen: number
  /** 32 random bytes, base64url; without it the key makes no token. */
  salt: string
  /** When the session was refreshed last. */
  rotatedAt: Date | null
  /** Which attempt refreshed it last: one whose answer was lost can tell its own work. */
  attempt: string | null
  /** When it ends unless it is refreshed. */
  idleExpiresAt: Date
  /** When it ends in any case; the TTL index goes by it. */
  absoluteExpiresAt: Date
  revokedAt: Date | null
  revokedReason: RevokedReason | null
  createdAt: Date
  /** `User-Agent` of the login, cut. */
  device: string | null
  /** Address the session was used from last. */
  address: string | null
}

/** Sessions as Mongoose knows them. */
export type SessionModel = Model<SessionDocument>

const schema = new Schema<SessionDocument>(
  {
    userId: { type: String, required: true },
    gen: { type: Number, required: true },
    salt: { type: String, required: true },
    rotatedAt: { type: Date, default: null },
    attempt: { type: String, default: null },
    idleExpiresAt: { type: Date, required: true },
    absoluteExpiresAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
    revokedReason: { type: String, default: null },
    createdAt: { type: Date, required: true },
    device: { type: String, default: null },
    address: { type: String, default: null },
  },
  { versionKey: false, writeConcern: { w: 'majority' } },
)
schema.index({ userId: 1 })
schema.index({ absoluteExpiresAt: 1 }, { expireAfterSeconds: 0 })

/**
 * The sessions of a connection; made once, found again after that.
 * @param place - where the documents lie
 * @returns the model `Session`
 */
export function createSessionModel(place: ModelPlace): SessionModel {
  return requireModel(place, { name: 'Session', collection: 'sessions', schema })
}
