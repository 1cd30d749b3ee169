import { type Stored, versioned } from '@create-api/core'
import { model, Schema } from 'mongoose'

const commentSchema = new Schema(
  {
    body: { type: String, required: true, maxlength: 10_000 },
    post: { type: Schema.Types.ObjectId, ref: 'Post', required: true },
  },
  { collection: 'comments', timestamps: true },
).plugin(versioned)

commentSchema.index({ post: 1, _id: 1 })
commentSchema.index({ createdAt: 1, _id: 1 })

export type Comment = Stored<typeof commentSchema>

export const CommentModel = model('Comment', commentSchema)
