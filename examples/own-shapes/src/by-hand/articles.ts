import { type Request, Router } from 'express'
import { type QueryFilter, type Types } from 'mongoose'
import { z } from 'zod'
import { type Article, FollowModel } from '../models.ts'
import { articleChanges, articlesQuery, feedQuery, newArticle, slugParams } from '../schemas.ts'
import { toSlug } from '../slug.ts'
import { type Auth, callerOf } from './auth.ts'
import { HttpError } from './errors.ts'
import { ArticleModel, CommentModel } from './models.ts'
import { type Profile, toProfiles } from './profiles.ts'
import { type User, UserModel } from './user-model.ts'

export function createArticlesRouter(auth: Auth): Router {
  const router = Router()

  router.get('/', auth.optional, async (req, res) => {
    const query = parseQuery(articlesQuery, req)
    res.json(await list(await toFilter(query), query, req.caller))
  })

  router.get('/feed', auth.required, async (req, res) => {
    const caller = callerOf(req)
    const follows = await FollowModel.find({ follower: String(caller._id) }).lean()
    const filter = { author: { $in: follows.map(({ followed }) => followed) } }
    res.json(await list(filter, parseQuery(feedQuery, req), caller))
  })

  router.get('/:slug', auth.optional, async (req, res) => {
    res.json({ article: await toView(await findArticle(req), req.caller) })
  })

  router.post('/', auth.required, async (req, res) => {
    const { article } = z.strictObject({ article: newArticle }).parse(req.body)
    const caller = callerOf(req)
    const created = await ArticleModel.create({
      ...article,
      slug: toSlug(article.title),
      author: String(caller._id),
    })
    res.status(201).json({ article: await toView(created.toObject(), caller) })
  })

  router.put('/:slug', auth.required, async (req, res) => {
    const { article: changes } = z.strictObject({ article: articleChanges }).parse(req.body)
    const { slug } = await findOwnArticle(req)
    const set = changes.title === undefined ? changes : { ...changes, slug: toSlug(changes.title) }
    const updated = await ArticleModel.findOneAndUpdate({ slug }, set, {
      returnDocument: 'after',
    }).lean()
    if (!updated) throw new HttpError(404, { article: ['not found'] })
    res.json({ article: await toView(updated, req.caller) })
  })

  router.delete('/:slug', auth.required, async (req, res) => {
    const { _id, slug } = await findOwnArticle(req)
    await ArticleModel.deleteOne({ slug })
    await CommentModel.deleteMany({ article: String(_id) })
    res.status(204).end()
  })

  router.post('/:slug/favorite', auth.required, async (req, res) => {
    res.json({ article: await setFavorite(req, '$addToSet') })
  })

  router.delete('/:slug/favorite', auth.required, async (req, res) => {
    res.json({ article: await setFavorite(req, '$pull') })
  })

  return router
}

/** The tags of all articles. */
export function createTagsRouter(): Router {
  return Router().get('/', async (_req, res) => {
    res.json({ tags: await ArticleModel.distinct('tagList') })
  })
}

type StoredArticle = Article & { _id: Types.ObjectId }

export async function findArticle(req: Request): Promise<StoredArticle> {
  const params = slugParams.safeParse(req.params)
  const article = params.success
    ? await ArticleModel.findOne({ slug: params.data.slug }).lean()
    : undefined
  if (!article) throw new HttpError(404, { article: ['not found'] })
  return article
}

async function findOwnArticle(req: Request): Promise<StoredArticle> {
  const article = await findArticle(req)
  if (article.author !== String(callerOf(req)._id)) {
    throw new HttpError(403, { article: ['forbidden'] })
  }
  return article
}

async function setFavorite(req: Request, operator: '$addToSet' | '$pull'): Promise<object> {
  const caller = callerOf(req)
  const { slug } = await findArticle(req)
  const change = { [operator]: { favoritedBy: String(caller._id) } }
  const updated = await ArticleModel.findOneAndUpdate({ slug }, change, {
    returnDocument: 'after',
    timestamps: false,
  }).lean()
  if (!updated) throw new HttpError(404, { article: ['not found'] })
  return toView(updated, caller)
}

type ArticlesQuery = z.output<typeof articlesQuery>

async function toFilter({ tag, author, favorited }: ArticlesQuery): Promise<QueryFilter<Article>> {
  return {
    ...(tag !== undefined && { tagList: tag }),
    ...(author !== undefined && { author: await toUserId(author) }),
    ...(favorited !== undefined && { favoritedBy: await toUserId(favorited) }),
  }
}

// No article belongs to a user who is not there.
async function toUserId(username: string): Promise<string> {
  const user = await UserModel.findOne({ username }, { _id: 1 }).lean()
  return String(user?._id ?? '')
}

async function list(
  filter: QueryFilter<Article>,
  { limit, offset }: z.output<typeof feedQuery>,
  caller?: User,
): Promise<object> {
  const [found, articlesCount] = await Promise.all([
    ArticleModel.find(filter, { body: 0 })
      .sort({ createdAt: -1, _id: -1 })
      .skip(offset)
      .limit(limit)
      .lean(),
    ArticleModel.countDocuments(filter),
  ])
  return { articles: await toViews(found, caller), articlesCount }
}

type Listed = Omit<Article, 'body'> & Partial<Pick<Article, 'body'>>

async function toView(article: Article, caller?: User): Promise<object> {
  const [view] = await toViews([article], caller)
  return view ?? {}
}

async function toViews(articles: readonly Listed[], caller?: User): Promise<object[]> {
  const authors = await findProfiles(
    articles.map(({ author }) => author),
    caller,
  )
  return articles.map((article) => ({
    slug: article.slug,
    title: article.title,
    description: article.description,
    body: article.body,
    tagList: article.tagList,
    createdAt: article.createdAt,
    updatedAt: article.updatedAt,
    favorited: caller !== undefined && article.favoritedBy.includes(String(caller._id)),
    favoritesCount: article.favoritedBy.length,
    author: authors.get(article.author),
  }))
}

/** The profiles of users by id. */
export async function findProfiles(
  ids: readonly string[],
  caller?: User,
): Promise<Map<string, Profile>> {
  const users = await UserModel.find({ _id: { $in: ids } }).lean()
  const profiles = await toProfiles(users, caller)
  return new Map(profiles.map((profile, index) => [String(users[index]?._id), profile]))
}

function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  { query }: Request,
): z.output<Schema> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'is invalid' }
  throw new HttpError(422, { [String(path[0] ?? 'query')]: [message] })
}
