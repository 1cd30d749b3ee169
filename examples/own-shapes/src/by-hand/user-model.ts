import { model, Schema, type Types } from 'mongoose'

export interface User {
  _id: Types.ObjectId
  username: string
  email: string
  password: string
  bio: string | null
  image: string | null
}

export const UserModel = model<User>(
  'HandUser',
  new Schema<User>(
    {
      username: { type: String, required: true, unique: true },
      email: { type: String, required: true, unique: true },
      password: { type: String, required: true },
      bio: { type: String, default: null },
      image: { type: String, default: null },
    },
    { versionKey: false },
  ),
)
