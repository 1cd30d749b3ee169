import { integerIds } from '@create-api/core/resource'
import { model } from 'mongoose'
import { type Comment, commentSchema } from '../models.ts'

export const CommentModel = model<Comment>('Comment', commentSchema.plugin(integerIds))
