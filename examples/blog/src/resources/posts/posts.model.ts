import { type Stored, versioned } from '@create-api/core'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    title: { type: String, required: true, trim: true, maxlength: 200 },
    body: { type: String, required: true, maxlength: 10_000 },
    published: { type: Boolean, default: false },
    status: { type: String, enum: ['draft', 'published'], required: true },
    slug: { type: String, required: true, trim: true, maxlength: 200, unique: true },
    tags: [{ type: String, trim: true, maxlength: 200 }],
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ title: 1, _id: 1 })
postSchema.index({ published: 1, _id: 1 })
postSchema.index({ status: 1, _id: 1 })
postSchema.index({ tags: 1, _id: 1 })
postSchema.index({ createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
