import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const commentSchema = new Schema(
  {
    organization: {
      type: Schema.Types.ObjectId,
      ref: 'Organization',
      required: true,
      immutable: true,
    },
    post: { type: Schema.Types.ObjectId, ref: 'Post', required: true, immutable: true },
    body: { type: String, required: true },
    category: { type: Schema.Types.ObjectId, ref: 'Category' },
  },
  { collection: 'comments', timestamps: true },
).plugin(versioned)

commentSchema.index({ organization: 1, post: 1, _id: 1 })
commentSchema.index({ organization: 1, post: 1, category: 1, _id: 1 })
commentSchema.index({ organization: 1, post: 1, createdAt: 1, _id: 1 })

export type Comment = Stored<typeof commentSchema>

export const CommentModel = model('Comment', commentSchema)
