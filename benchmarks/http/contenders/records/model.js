// The model of both services, as the generator writes it but for its type.
import { versioned } from '@create-api/core/resource'
import { model, Schema } from 'mongoose'

const postSchema = new Schema(
  {
    title: { type: String, required: true, trim: true },
    body: { type: String, required: true },
    tags: [{ type: String }],
    views: { type: Number, required: true },
    published: { type: Boolean, required: true },
  },
  { collection: 'posts', timestamps: true },
).plugin(versioned)

postSchema.index({ published: 1, views: 1, _id: 1 })

export const PostModel = model('Post', postSchema)

/** Nobody else's: it is dropped in the end. */
export const databaseName = 'create_api_benchmark'

/** How many there are. */
export const count = 1000

/** Id of one in the middle. */
export const knownId = toId(500)

/** Fills the collection anew. */
export async function fill() {
  await PostModel.deleteMany({})
  await PostModel.init()
  await PostModel.insertMany(Array.from({ length: count }, (_, index) => toPost(index)))
}

function toPost(index) {
  return {
    _id: toId(index),
    title: `Post number ${index}`,
    body: 'Quick brown foxes jump over lazy dogs. '.repeat(2),
    tags: ['benchmark', 'http'],
    views: index,
    published: index % 2 === 0,
  }
}

function toId(index) {
  return (index + 1).toString(16).padStart(24, '0')
}
