// The model of the service of this framework, and of the benchmarks that fill its collection.
import { versioned } from '@create-api/core/resource'
import { model } from 'mongoose'
import { count, postSchema, toPost } from './posts.js'

export const PostModel = model('Post', postSchema.plugin(versioned))

/** Fills the collection anew. */
export async function fill() {
  await PostModel.deleteMany({})
  await PostModel.init()
  await PostModel.insertMany(Array.from({ length: count }, (_, index) => toPost(index)))
}
