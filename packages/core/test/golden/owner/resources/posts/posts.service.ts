import {
  findPage,
  type IfMatch,
  type Page,
  patchDocument,
  rejectMiss,
  requireFound,
  toReplacement,
} from '@create-api/core'
import { type Post, PostModel } from './posts.model.js'
import {
  createPost,
  type CreatePost,
  type ListPosts,
  type PatchPost,
  replacePost,
  type ReplacePost,
} from './posts.validation.js'

/** Which posts a caller reaches: a part of every query. */
export interface PostScope {
  owner: string
}

/** One of them. */
export interface PostKey extends PostScope {
  _id: string
}

export function list(scope: PostScope, query: ListPosts): Promise<Page<Post>> {
  return findPage(PostModel, scope, query)
}

export async function get(key: PostKey): Promise<Post> {
  return requireFound(await PostModel.findOne(key).lean())
}

export async function create(scope: PostScope, input: CreatePost): Promise<Post> {
  const post = await PostModel.create({ ...input, ...scope })
  return post.toObject()
}

export async function replace(key: PostKey, input: ReplacePost, match: IfMatch): Promise<Post> {
  const changes = toReplacement(replacePost, input)
  const post = await PostModel.findOneAndUpdate({ ...key, ...match }, changes, {
    returnDocument: 'after',
  }).lean()
  return post ?? rejectMiss(PostModel, key, match)
}

export async function patch(key: PostKey, input: PatchPost, match: IfMatch): Promise<Post> {
  return patchDocument(PostModel, key, { schema: createPost, patch: input, match })
}

export async function remove(key: PostKey, match: IfMatch): Promise<void> {
  const post = await PostModel.findOneAndDelete({ ...key, ...match }).lean()
  if (!post) await rejectMiss(PostModel, key, match)
}
