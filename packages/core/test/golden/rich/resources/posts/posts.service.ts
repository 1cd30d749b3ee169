import {
  findPage,
  type IfMatch,
  type Page,
  patchDocument,
  rejectMiss,
  requireFound,
  requireReferences,
  toReplacement,
} from '@create-api/core/resource'
import { type Post, PostModel } from './posts.model.js'
import {
  createPost,
  type CreatePost,
  type ListPosts,
  type PatchPost,
  replacePost,
  type ReplacePost,
} from './posts.validation.js'

export function list(query: ListPosts): Promise<Page<Post>> {
  return findPage(PostModel, {}, query)
}

export async function get(id: string): Promise<Post> {
  return requireFound(await PostModel.findById(id).lean())
}

export async function create(input: CreatePost): Promise<Post> {
  await requireReferences(PostModel, input)
  const post = await PostModel.create(input)
  return post.toObject()
}

export async function replace(id: string, input: ReplacePost, match: IfMatch): Promise<Post> {
  await requireReferences(PostModel, input)
  const changes = toReplacement(replacePost, input)
  const post = await PostModel.findOneAndUpdate({ _id: id, ...match }, changes, {
    returnDocument: 'after',
    runValidators: true,
  }).lean()
  return post ?? rejectMiss(PostModel, { _id: id }, match)
}

export async function patch(id: string, input: PatchPost, match: IfMatch): Promise<Post> {
  await requireReferences(PostModel, input)
  return patchDocument(PostModel, { _id: id }, { schema: createPost, patch: input, match })
}

export async function remove(id: string, match: IfMatch): Promise<void> {
  const post = await PostModel.findOneAndDelete({ _id: id, ...match }).lean()
  if (!post) await rejectMiss(PostModel, { _id: id }, match)
}
