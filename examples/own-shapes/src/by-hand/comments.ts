import { Router } from 'express'
import { z } from 'zod'
import { type Comment } from '../models.ts'
import { commentParams, newComment } from '../schemas.ts'
import { findArticle, findProfiles } from './articles.ts'
import { type Auth, callerOf } from './auth.ts'
import { HttpError } from './errors.ts'
import { CommentModel, nextId } from './models.ts'
import { type User } from './user-model.ts'

export function createCommentsRouter(auth: Auth): Router {
  const router = Router()

  router.get('/:slug/comments', auth.optional, async (req, res) => {
    const { _id: article } = await findArticle(req)
    const found = await CommentModel.find({ article: String(article) })
      .sort({ _id: -1 })
      .lean()
    res.json({ comments: await toViews(found, req.caller) })
  })

  router.post('/:slug/comments', auth.required, async (req, res) => {
    const { comment } = z.strictObject({ comment: newComment }).parse(req.body)
    const { _id: article } = await findArticle(req)
    const created = await CommentModel.create({
      _id: await nextId('comments'),
      article: String(article),
      author: String(callerOf(req)._id),
      body: comment.body,
    })
    const [view] = await toViews([created.toObject()], req.caller)
    res.status(201).json({ comment: view })
  })

  router.delete('/:slug/comments/:id', auth.required, async (req, res) => {
    const params = commentParams.safeParse(req.params)
    const { _id: article } = await findArticle(req)
    const comment = params.success
      ? await CommentModel.findOne({ _id: params.data.id, article: String(article) }).lean()
      : undefined
    if (!comment) throw new HttpError(404, { comment: ['not found'] })
    if (comment.author !== String(callerOf(req)._id)) {
      throw new HttpError(403, { comment: ['forbidden'] })
    }
    await CommentModel.deleteOne({ _id: comment._id })
    res.status(204).end()
  })

  return router
}

async function toViews(comments: readonly Comment[], caller?: User): Promise<object[]> {
  const authors = await findProfiles(
    comments.map(({ author }) => author),
    caller,
  )
  return comments.map(({ _id, createdAt, updatedAt, body, author }) => ({
    id: _id,
    createdAt,
    updatedAt,
    body,
    author: authors.get(author),
  }))
}
