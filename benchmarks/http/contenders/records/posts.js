// The posts of both services, without any part of the framework.
import { Schema } from 'mongoose'

/** What is stored, as the generator writes it but for its type. */
export const postSchema = new Schema(
  {
    title: { type: String, required: true, trim: true },
    body: { type: String, required: true },
    tags: [{ type: String }],
    views: { type: Number, required: true },
    published: { type: Boolean, required: true },
  },
  { collection: 'posts', timestamps: true },
)

postSchema.index({ published: 1, views: 1, _id: 1 })

/** Nobody else's: it is dropped in the end. */
export const databaseName = 'create_api_benchmark'

/** How many there are. */
export const count = 1000

/** Id of one in the middle. */
export const knownId = toId(500)

/** Creates one of them. */
export function toPost(index) {
  return {
    _id: toId(index),
    title: `Post number ${index}`,
    body: 'Quick brown foxes jump over lazy dogs. '.repeat(2),
    tags: ['benchmark', 'http'],
    views: index,
    published: index % 2 === 0,
  }
}

/** The id of one of them. */
export function toId(index) {
  return (index + 1).toString(16).padStart(24, '0')
}
