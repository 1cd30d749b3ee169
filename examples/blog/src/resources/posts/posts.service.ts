import { type User } from '@create-api/core'
import {
  findPage,
  type IfMatch,
  type Included,
  includeReferences,
  type Page,
  patchDocument,
  rejectMiss,
  requireFound,
  requireReferences,
  toProjection,
  toReplacement,
} from '@create-api/core/resource'
import { CommentModel } from '../comments/comments.model.js'
import { type Post, PostModel } from './posts.model.js'
import {
  createPost,
  type CreatePost,
  type ListPosts,
  type PatchPost,
  replacePost,
  type ReplacePost,
  type ViewPost,
} from './posts.validation.js'

/** The posts a caller can access: part of every query. */
export interface PostScope {
  owner: string
}

/** Identifies one of them. */
export interface PostKey extends PostScope {
  _id: string
}

export async function list(user: User, query: ListPosts): Promise<Page<Included<Post>>> {
  const { data, meta } = await findPage(PostModel, { owner: user.id }, query)
  return { data: await includeReferences(PostModel, data, { query, user }), meta }
}

export async function get(key: PostKey, query: ViewPost, user: User): Promise<Included<Post>> {
  const post = requireFound(await PostModel.findOne(key, toProjection(query)).lean())
  return includeReferences(PostModel, post, { query, user })
}

export async function create(scope: PostScope, input: CreatePost): Promise<Post> {
  await requireReferences(PostModel, input, scope)
  const post = await PostModel.create({ ...input, ...scope })
  return post.toObject()
}

export async function replace(key: PostKey, input: ReplacePost, match: IfMatch): Promise<Post> {
  await requireReferences(PostModel, input, key)
  const changes = toReplacement(replacePost, input)
  const post = await PostModel.findOneAndUpdate({ ...key, ...match }, changes, {
    returnDocument: 'after',
    runValidators: true,
  }).lean()
  return post ?? rejectMiss(PostModel, key, match)
}

export async function patch(key: PostKey, input: PatchPost, match: IfMatch): Promise<Post> {
  await requireReferences(PostModel, input, key)
  return patchDocument(PostModel, key, { schema: createPost, patch: input, match })
}

export async function remove(key: PostKey, match: IfMatch): Promise<void> {
  const post = await PostModel.findOneAndDelete({ ...key, ...match }).lean()
  if (!post) await rejectMiss(PostModel, key, match)
  // Without the post its comments could not be reached.
  const { _id: id } = key
  await CommentModel.deleteMany({ post: id })
}
