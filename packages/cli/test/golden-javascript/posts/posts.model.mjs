import { versioned } from '@create-api/core/resource'
import { model, Schema, set } from 'mongoose'

/** @import { Stored } from '@create-api/core/resource' */

// The queries of an atomic bulk request are part of its transaction.
set('transactionAsyncLocalStorage', true)

const postSchema = new Schema(
  {
    owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },
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
    price: { type: Schema.Types.Decimal128, required: true },
    site: { type: String },
    done: { type: Boolean, required: true },
  },
  { collection: 'posts', timestamps: true, minimize: false },
).plugin(versioned)

// That of the list: MongoDB uses an index only for the collation it has.
const collation = { locale: 'en', strength: 2 }
postSchema.index({ owner: 1, _id: 1 })
postSchema.index({ owner: 1, title: 1, _id: 1 }, { collation })
postSchema.index({ owner: 1, slug: 1, _id: 1 }, { collation })
postSchema.index({ owner: 1, status: 1, _id: 1 })
postSchema.index({ owner: 1, tags: 1, _id: 1 }, { collation })
postSchema.index({ owner: 1, author: 1, _id: 1 })
postSchema.index({ owner: 1, publishedAt: 1, _id: 1 })
postSchema.index({ owner: 1, eventOn: 1, _id: 1 })
postSchema.index({ owner: 1, views: 1, _id: 1 })
postSchema.index({ owner: 1, rating: 1, _id: 1 })
postSchema.index({ owner: 1, contact: 1, _id: 1 }, { collation })
postSchema.index({ owner: 1, code: 1, _id: 1 }, { collation })
postSchema.index({ owner: 1, price: 1, _id: 1 })
postSchema.index({ owner: 1, done: 1, _id: 1 })
postSchema.index({ owner: 1, createdAt: 1, _id: 1 })

/** @typedef {Stored<typeof postSchema>} Post */

export const PostModel = model('Post', postSchema)
