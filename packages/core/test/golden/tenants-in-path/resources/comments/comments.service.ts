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
import { PostModel } from '../posts/posts.model.js'
import { type Comment, CommentModel } from './comments.model.js'
import {
  createComment,
  type CreateComment,
  type ListComments,
  type PatchComment,
  replaceComment,
  type ReplaceComment,
} from './comments.validation.js'

/** Identifies one of the comments that a caller can reach. */
export interface CommentKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListComments): Promise<Page<Comment>> {
  return findPage(CommentModel, scope, query)
}

export async function get({ scope, id }: CommentKey): Promise<Comment> {
  return requireFound(await CommentModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(
  scope: Scope,
  input: CreateComment,
  references: ReferenceScopes,
): Promise<Comment> {
  await requireReferences(CommentModel, input, references)
  return createInScope(CommentModel, scope, input)
}

export async function replace(
  { scope, id }: CommentKey,
  input: ReplaceComment,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Comment> {
  await requireReferences(CommentModel, input, references)
  return replaceDocument(CommentModel, { _id: id }, { schema: replaceComment, input, match, scope })
}

export async function patch(
  { scope, id }: CommentKey,
  input: PatchComment,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Comment> {
  await requireReferences(CommentModel, input, references)
  return patchDocument(
    CommentModel,
    { _id: id },
    { schema: createComment, patch: input, match, scope },
  )
}

export async function remove({ scope, id }: CommentKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const comment = await CommentModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!comment) await rejectMiss(CommentModel, filter, match)
}

/** Returns the id of the post that the comments belong to; without one the response is a 404. */
export async function findPostId(key: string, scope: Scope | undefined): Promise<string> {
  const filter = inScope(scope, { slug: key })
  const { _id: id } = requireFound(await PostModel.findOne(filter, { _id: 1 }).lean())
  return String(id)
}
