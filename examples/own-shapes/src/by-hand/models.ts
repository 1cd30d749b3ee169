import { model, Schema } from 'mongoose'
import { type Article, articleSchema, type Comment, commentSchema } from '../models.ts'

export const ArticleModel = model<Article>('Article', articleSchema)
export const CommentModel = model<Comment>('Comment', commentSchema)

interface Counter {
  _id: string
  last: number
}

const CounterModel = model<Counter>(
  'Counter',
  new Schema<Counter>({
    _id: { type: String, required: true },
    last: { type: Number, required: true },
  }),
)

/** Returns the next whole number of a sequence, from 1. */
export async function nextId(sequence: string): Promise<number> {
  const counter = await CounterModel.findByIdAndUpdate(
    sequence,
    { $inc: { last: 1 } },
    { upsert: true, returnDocument: 'after' },
  ).lean()
  return counter.last
}
