import { type Model, Schema, type SchemaDefinition, type Types } from 'mongoose'
import { type ModelPlace, requireModel } from './model-registry.ts'

/** One user, as stored. */
export interface UserDocument {
  _id: Types.ObjectId
  /** Canonical: lower case, validated. */
  email: string
  /** PHC string; not part of ordinary reads. */
  passwordHash?: string | undefined
  role: string
  emailVerified: boolean
  /** A disabled user can neither sign in nor use what was issued before. */
  disabled: boolean
  createdAt: Date
  updatedAt: Date
}

/** Users as Mongoose knows them. */
export type UserModel = Model<UserDocument>

/**
 * The users of a connection; made once, found again after that.
 * @param place - where the documents lie
 * @param fields - paths of the application's own
 * @returns the model `User`
 */
export function createUserModel(place: ModelPlace, fields: SchemaDefinition = {}): UserModel {
  const schema = new Schema<UserDocument>(
    {
      email: { type: String, required: true },
      passwordHash: { type: String, required: true, select: false },
      role: { type: String, required: true, default: 'user' },
      emailVerified: { type: Boolean, required: true, default: false },
      disabled: { type: Boolean, required: true, default: false },
    },
    { timestamps: true, versionKey: false },
  )
  schema.add(fields)
  schema.index({ email: 1 }, { unique: true })
  return requireModel(place, { name: 'User', collection: 'users', schema })
}
