import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    title: { type: String, required: true, trim: true },
    text: { type: String },
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ title: 1, _id: 1 })
postSchema.index({ createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
