import {
  findPage,
  type IfMatch,
  type Page,
  rejectMiss,
  requireFound,
  toMergePatch,
  toReplacement,
} from '@create-api/core'
import { type Post, PostModel } from './posts.model.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  replacePost,
  type ReplacePost,
} from './posts.validation.js'

/** One post of one user; every query on a single post carries both. */
export interface OwnFilter {
  _id: string
  owner: string
}

export function list(owner: string, query: ListPosts): Promise<Page<Post>> {
  return findPage(PostModel, { owner }, query)
}

export async function get(filter: OwnFilter): Promise<Post> {
  return requireFound(await PostModel.findOne(filter).lean())
}

export async function create(owner: string, input: CreatePost): Promise<Post> {
  const post = await PostModel.create({ ...input, owner })
  return post.toObject()
}

export async function replace(
  filter: OwnFilter,
  input: ReplacePost,
  match: IfMatch,
): Promise<Post> {
  const changes = toReplacement(replacePost, input)
  const post = await PostModel.findOneAndUpdate({ ...filter, ...match }, changes, {
    returnDocument: 'after',
  }).lean()
  return post ?? rejectMiss(PostModel, filter, match)
}

export async function patch(filter: OwnFilter, input: PatchPost, match: IfMatch): Promise<Post> {
  const changes = toMergePatch(input)
  const post = await PostModel.findOneAndUpdate({ ...filter, ...match }, changes, {
    returnDocument: 'after',
  }).lean()
  return post ?? rejectMiss(PostModel, filter, match)
}

export async function remove(filter: OwnFilter, match: IfMatch): Promise<void> {
  const post = await PostModel.findOneAndDelete({ ...filter, ...match }).lean()
  if (!post) await rejectMiss(PostModel, filter, match)
}
