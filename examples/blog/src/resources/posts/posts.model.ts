import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    title: { type: String, required: true, trim: true },
    slug: { type: String, required: true, trim: true, unique: true },
    body: { type: String, required: true },
    status: { type: String, enum: ['draft', 'published'], required: true },
    tags: [{ type: String, trim: true }],
    author: { type: Schema.Types.ObjectId, ref: 'Author', required: true },
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ owner: 1, _id: 1 })
postSchema.index({ owner: 1, title: 1, _id: 1 })
postSchema.index({ owner: 1, slug: 1, _id: 1 })
postSchema.index({ owner: 1, status: 1, _id: 1 })
postSchema.index({ owner: 1, tags: 1, _id: 1 })
postSchema.index({ owner: 1, author: 1, _id: 1 })
postSchema.index({ owner: 1, createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
