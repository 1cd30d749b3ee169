// The model of the service of this framework, and of the benchmarks that fill its collection.
import { versioned } from '@create-api/core/resource'
import { model, Types } from 'mongoose'
import { count, postSchema, toId, toPost } from './posts.js'

export const PostModel = model('Post', postSchema.plugin(versioned))

/** Fills the collection anew; with `extra`, with that many more. */
export async function fill(extra = 0) {
  await PostModel.deleteMany({})
  await PostModel.init()
  const now = new Date()
  const posts = Array.from({ length: count + extra }, (_, index) => ({
    ...toPost(index),
    _id: new Types.ObjectId(toId(index)),
    createdAt: now,
    updatedAt: now,
    __v: 0,
  }))
  // Without documents of Mongoose, because it is called before each measurement of a write.
  await PostModel.collection.insertMany(posts)
}
