import { integerIds, versioned } from '@create-api/core/resource'
import { model } from 'mongoose'
import { type Article, articleSchema, type Comment, commentSchema } from '../models.ts'

export const ArticleModel = model<Article>('Article', articleSchema.plugin(versioned))
export const CommentModel = model<Comment>(
  'Comment',
  commentSchema.plugin(versioned).plugin(integerIds),
)
