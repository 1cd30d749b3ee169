import { createRouter, success, type User } from '@create-api/core'
import {
  deleteDocument,
  findNested,
  requireFound,
  type StoredDocument,
} from '@create-api/core/resource'
import { z } from 'zod'
import { type Article, type Comment } from '../models.ts'
import { commentParams, newComment, slugParams as params } from '../schemas.ts'
import { byAuthor } from './access.ts'
import { noArticle } from './errors.ts'
import { ArticleModel, CommentModel } from './models.ts'
import { findProfiles, type Profile } from './profiles.ts'
import { comment } from './views.ts'

const created = z.strictObject({ comment: newComment })
const list = { response: comment.array(), envelope: (comments: unknown) => ({ comments }) }

// The comment, which only its author may remove.
const own = {
  params: commentParams,
  load: ({ slug, id }: z.output<typeof commentParams>) =>
    findNested(findArticle(slug), (article) =>
      CommentModel.findOne({ _id: id, article: String(article._id) }).lean(),
    ),
  access: byAuthor,
}

export const commentsRouter = createRouter(
  (route) => [
    route.get('/', { ...list, access: 'optional', params }, async (req, res) => {
      const { _id: article } = await findArticle(req.valid.params.slug)
      const found = await CommentModel.find({ article: String(article) })
        .sort({ _id: -1 })
        .lean()
      success(res, await toViews(found, req.user))
    }),
    route.post('/', { params, body: created, response: comment, status: 201 }, async (req, res) => {
      const { _id: article } = await findArticle(req.valid.params.slug)
      const { body } = req.valid.body.comment
      const values = { article: String(article), author: req.user.id, body }
      const stored = await CommentModel.create(values)
      const [view] = await toViews([stored.toObject()], req.user)
      success(res.status(201), requireFound(view))
    }),
    route.del('/:id', own, async (req, res) => {
      const { _id } = req.document
      await deleteDocument(CommentModel, { _id }, { scope: req.scope, match: {} })
      success(res)
    }),
  ],
  { access: 'user', tag: 'comments', envelope: (data) => ({ comment: data }) },
)

async function findArticle(slug: string): Promise<StoredDocument<Article>> {
  const article = await ArticleModel.findOne({ slug }).lean<StoredDocument<Article>>()
  if (!article) throw noArticle()
  return article
}

interface View extends Omit<Comment, 'author'> {
  id: number
  author: Profile
}

// Without the comments of users who are gone.
async function toViews(comments: readonly Comment[], caller?: User): Promise<View[]> {
  const authors = await findProfiles(
    comments.map(({ author }) => author),
    caller,
  )
  return comments.flatMap((stored) => {
    const author = authors.get(stored.author)
    return author ? [{ ...stored, id: stored._id, author }] : []
  })
}
