import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  rejectMiss,
  replaceDocument,
  requireFound,
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

/** Identifies one of the posts that a caller can reach. */
export interface PostKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListPosts): Promise<Page<Post>> {
  return findPage(PostModel, scope, query)
}

export async function get({ scope, id }: PostKey): Promise<Post> {
  return requireFound(await PostModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(scope: Scope, input: CreatePost): Promise<Post> {
  return createInScope(PostModel, scope, input)
}

export async function replace(
  { scope, id }: PostKey,
  input: ReplacePost,
  match: IfMatch,
): Promise<Post> {
  return replaceDocument(PostModel, { _id: id }, { schema: replacePost, input, match, scope })
}

export async function patch(
  { scope, id }: PostKey,
  input: PatchPost,
  match: IfMatch,
): Promise<Post> {
  return patchDocument(PostModel, { _id: id }, { schema: createPost, patch: input, match, scope })
}

export async function remove({ scope, id }: PostKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const post = await PostModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!post) await rejectMiss(PostModel, filter, match)
}
