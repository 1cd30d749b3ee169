import { type Stored, versioned } from '@create-api/core'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    title: { type: String, required: true, trim: true },
    body: { type: String, required: true },
    published: { type: Boolean, default: false },
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ title: 1, _id: 1 })
postSchema.index({ published: 1, _id: 1 })
postSchema.index({ createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
