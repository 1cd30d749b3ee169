import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const authorSchema = new Schema(
  {
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    name: { type: String, required: true, trim: true },
    bio: { type: String },
  },
  { collection: 'authors', timestamps: true },
).plugin(versioned)

authorSchema.index({ owner: 1, _id: 1 })
authorSchema.index({ owner: 1, name: 1, _id: 1 })
authorSchema.index({ owner: 1, createdAt: 1, _id: 1 })

export type Author = Stored<typeof authorSchema>

export const AuthorModel = model('Author', authorSchema)
