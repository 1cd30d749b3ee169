import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  type ReferenceScopes,
  rejectMiss,
  replaceDocument,
  requireFound,
  requireReferences,
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
  slug: string
}

export function list(scope: Scope, query: ListPosts): Promise<Page<Post>> {
  return findPage(PostModel, scope, query)
}

export async function get({ scope, slug }: PostKey): Promise<Post> {
  return requireFound(await PostModel.findOne(inScope(scope, { slug })).lean())
}

export async function create(
  scope: Scope,
  input: CreatePost,
  references: ReferenceScopes,
): Promise<Post> {
  await requireReferences(PostModel, input, references)
  return createInScope(PostModel, scope, input)
}

export async function replace(
  { scope, slug }: PostKey,
  input: ReplacePost,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Post> {
  await requireReferences(PostModel, input, references)
  return replaceDocument(PostModel, { slug }, { schema: replacePost, input, match, scope })
}

export async function patch(
  { scope, slug }: PostKey,
  input: PatchPost,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Post> {
  await requireReferences(PostModel, input, references)
  return patchDocument(PostModel, { slug }, { schema: createPost, patch: input, match, scope })
}

export async function remove({ scope, slug }: PostKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { slug })
  const post = await PostModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!post) await rejectMiss(PostModel, filter, match)
}
