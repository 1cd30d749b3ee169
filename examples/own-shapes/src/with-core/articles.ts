import { createRouter, get, success, type User } from '@create-api/core'
import {
  defineListQuery,
  deleteDocument,
  findPage,
  type ListQuery,
  offsetMeta,
  type Page,
  patchDocument,
  requireFound,
  toPatchSchema,
} from '@create-api/core/resource'
import { type QueryFilter } from 'mongoose'
import { z } from 'zod'
import { type Article, FollowModel } from '../models.ts'
import { newArticle, slugParams as params } from '../schemas.ts'
import { toSlug } from '../slug.ts'
import { byAuthor } from './access.ts'
import { auth } from './auth.ts'
import { ArticleModel, CommentModel } from './models.ts'
import { findProfiles, type Profile } from './profiles.ts'
import { article, listedArticle } from './views.ts'

const created = z.strictObject({ article: newArticle })
const changes = toPatchSchema(newArticle)
const changed = z.strictObject({ article: changes })
const feed = defineListQuery(article, { paging: ['offset'], defaultSort: ['-createdAt'] })
const list = defineListQuery(article, {
  paging: ['offset'],
  defaultSort: ['-createdAt'],
  filters: {
    tag: { field: 'tagList', schema: z.string() },
    author: async (username) => ({ author: await toUserId(username) }),
    favorited: async (username) => ({ favoritedBy: await toUserId(username) }),
  },
})
const page = {
  response: listedArticle.array(),
  meta: offsetMeta,
  envelope: (articles: unknown, meta: { total: number }) => ({
    articles,
    articlesCount: meta.total,
  }),
}
// The article, which everyone may see and only its author may change.
const own = {
  params,
  load: ({ slug }: { slug: string }) => ArticleModel.findOne({ slug }).lean(),
  access: byAuthor,
}

export const articlesRouter = createRouter(
  (route) => [
    route.get('/', { ...page, access: 'optional', query: list }, async (req, res) => {
      const { data, meta } = await findArticles({}, req.valid.query, req.user)
      success(res, data, meta)
    }),
    route.get('/feed', { ...page, query: feed }, async (req, res) => {
      const follows = await FollowModel.find({ follower: req.user.id }).lean()
      const filter = { author: { $in: follows.map(({ followed }) => followed) } }
      const { data, meta } = await findArticles(filter, req.valid.query, req.user)
      success(res, data, meta)
    }),
    route.get('/:slug', { access: 'optional', response: article }, async (req, res) => {
      const found = await ArticleModel.findOne(req.valid.params).lean()
      success(res, await toView(found, req.user))
    }),
    route.post('/', { body: created, response: article, status: 201 }, async (req, res) => {
      const input = req.valid.body.article
      const values = { ...input, slug: toSlug(input.title), author: req.user.id }
      const stored = await ArticleModel.create(values)
      success(res.status(201), await toView(stored.toObject(), req.user))
    }),
    route.put('/:slug', { ...own, body: changed, response: article }, async (req, res) => {
      const { article: patch } = req.valid.body
      const slug = patch.title === undefined ? undefined : toSlug(patch.title)
      const options = { scope: req.scope, match: {}, schema: changes, input: { ...patch, slug } }
      const stored = await patchDocument(ArticleModel, req.valid.params, options)
      success(res, await toView(stored, req.user))
    }),
    route.del('/:slug', own, async (req, res) => {
      const { _id } = req.document
      await deleteDocument(ArticleModel, { _id }, { scope: req.scope, match: {} })
      await CommentModel.deleteMany({ article: String(_id) })
      success(res)
    }),
    route.post('/:slug/favorite', { response: article }, async (req, res) => {
      const stored = await setFavorite(req.valid.params.slug, '$addToSet', req.user)
      success(res, await toView(stored, req.user))
    }),
    route.del('/:slug/favorite', { response: article }, async (req, res) => {
      const stored = await setFavorite(req.valid.params.slug, '$pull', req.user)
      success(res, await toView(stored, req.user))
    }),
  ],
  { access: 'user', params, tag: 'articles', envelope: (data) => ({ article: data }) },
)

export const tagsRouter = createRouter(
  [
    get('/', { response: z.string().array() }, async (_req, res) => {
      success(res, await ArticleModel.distinct('tagList'))
    }),
  ],
  { access: 'public', envelope: (tags) => ({ tags }) },
)

// Not a change of the article itself.
async function setFavorite(
  slug: string,
  operator: '$addToSet' | '$pull',
  { id }: User,
): Promise<Article | null> {
  const change = { [operator]: { favoritedBy: id } }
  const options = { returnDocument: 'after', timestamps: false } as const
  return ArticleModel.findOneAndUpdate({ slug }, change, options).lean()
}

async function findArticles(
  filter: QueryFilter<Article>,
  query: ListQuery,
  caller?: User,
): Promise<Page<View>> {
  const { data, meta } = await findPage(ArticleModel.find(filter).lean(), query)
  return { data: await toViews(data, caller), meta }
}

// No article belongs to a user who is not there.
async function toUserId(username: string): Promise<string> {
  return (await auth.users.findBy('username', username))?.id ?? ''
}

interface View extends Omit<Article, 'author'> {
  author: Profile
  favorited: boolean
  favoritesCount: number
}

async function toView(found: Article | null, caller?: User): Promise<View> {
  const [view] = await toViews([requireFound(found)], caller)
  return requireFound(view)
}

// Without the articles of users who are gone.
async function toViews(articles: readonly Article[], caller?: User): Promise<View[]> {
  const authors = await findProfiles(
    articles.map(({ author }) => author),
    caller,
  )
  return articles.flatMap((stored) => {
    const author = authors.get(stored.author)
    if (!author) return []
    const favorited = caller !== undefined && stored.favoritedBy.includes(caller.id)
    return [{ ...stored, author, favorited, favoritesCount: stored.favoritedBy.length }]
  })
}
