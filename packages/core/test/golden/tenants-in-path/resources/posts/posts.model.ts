import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    slug: { type: String, required: true, trim: true },
    title: { type: String, required: true, trim: true },
    code: { type: String, trim: true },
    category: { type: Schema.Types.ObjectId, ref: 'Category', required: true },
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ organization: 1, slug: 1 }, { unique: true })
postSchema.index(
  { organization: 1, code: 1 },
  { unique: true, partialFilterExpression: { code: { $exists: true } } },
)
postSchema.index({ organization: 1, _id: 1 })
postSchema.index({ organization: 1, title: 1, _id: 1 })
postSchema.index({ organization: 1, category: 1, _id: 1 })
postSchema.index({ organization: 1, createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
