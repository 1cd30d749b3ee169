import { softDelete, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

/** @import { Stored } from '@create-api/core/resource' */

const commentSchema = new Schema(
  {
    post: { type: Schema.Types.ObjectId, ref: 'Post', required: true, immutable: true },
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
    body: { type: String, required: true },
  },
  { collection: 'comments', timestamps: true },
)
  .plugin(versioned)
  .plugin(softDelete)

commentSchema.index({ post: 1, owner: 1, _id: 1 })
commentSchema.index({ post: 1, owner: 1, createdAt: 1, _id: 1 })

/** @typedef {Stored<typeof commentSchema>} Comment */

export const CommentModel = model('Comment', commentSchema)
