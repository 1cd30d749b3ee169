import { type Stored, versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    title: { type: String, required: true, trim: true },
    slug: { type: String, required: true, trim: true, unique: true },
    status: { type: String, enum: ['draft', 'live'], required: true },
    tags: [{ type: String, trim: true }],
    author: { type: Schema.Types.ObjectId, ref: 'User', required: true },
    summary: { type: String },
    publishedAt: { type: Date },
    eventOn: { type: String, match: /^\d{4}-\d{2}-\d{2}$/ },
    views: { type: Number, min: 0, max: 1_000_000, default: 0 },
    rating: { type: Number },
    contact: { type: String, lowercase: true },
    code: { type: String },
    place: {
      type: new Schema(
        { city: { type: String, required: true, trim: true }, zip: { type: String, trim: true } },
        { _id: false },
      ),
    },
    lines: [
      new Schema(
        {
          sku: { type: String, required: true, trim: true },
          count: { type: Number, required: true },
        },
        { _id: false },
      ),
    ],
    meta: { type: Schema.Types.Mixed },
    extra: { type: Schema.Types.Mixed },
  },
  { collection: 'posts', timestamps: true, minimize: false },
).plugin(versioned)

postSchema.index({ title: 1, _id: 1 })
postSchema.index({ status: 1, _id: 1 })
postSchema.index({ tags: 1, _id: 1 })
postSchema.index({ author: 1, _id: 1 })
postSchema.index({ publishedAt: 1, _id: 1 })
postSchema.index({ eventOn: 1, _id: 1 })
postSchema.index({ views: 1, _id: 1 })
postSchema.index({ rating: 1, _id: 1 })
postSchema.index({ contact: 1, _id: 1 })
postSchema.index({ code: 1, _id: 1 })
postSchema.index({ createdAt: 1, _id: 1 })

export type Post = Stored<typeof postSchema>

export const PostModel = model('Post', postSchema)
