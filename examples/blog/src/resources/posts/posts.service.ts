import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  type Included,
  includeReferences,
  inScope,
  type Page,
  patchDocument,
  type ReferenceScopes,
  rejectMiss,
  replaceDocument,
  requireFound,
  requireReferences,
  toProjection,
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

/** Identifies one of the posts that a caller can reach. */
export interface PostKey {
  scope: Scope
  id: string
}

export async function list(scope: Scope, query: ListPosts): Promise<Page<Included<Post>>> {
  const { data, meta } = await findPage(PostModel, scope, query)
  return { data: await includeReferences(PostModel, data, { query }), meta }
}

export async function get({ scope, id }: PostKey, query: ViewPost): Promise<Included<Post>> {
  const filter = inScope(scope, { _id: id })
  const post = requireFound(await PostModel.findOne(filter, toProjection(query)).lean())
  return includeReferences(PostModel, post, { query })
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
  { scope, id }: PostKey,
  input: ReplacePost,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Post> {
  await requireReferences(PostModel, input, references)
  return replaceDocument(PostModel, { _id: id }, { schema: replacePost, input, match, scope })
}

export async function patch(
  { scope, id }: PostKey,
  input: PatchPost,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Post> {
  await requireReferences(PostModel, input, references)
  return patchDocument(PostModel, { _id: id }, { schema: createPost, patch: input, match, scope })
}

export async function remove({ scope, id }: PostKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const post = await PostModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!post) await rejectMiss(PostModel, filter, match)
  // Without the post its comments could not be reached.
  await CommentModel.deleteMany({ post: id })
}
