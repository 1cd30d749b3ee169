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

export async function create(scope: Scope, input: CreateComment): Promise<Comment> {
  return createInScope(CommentModel, scope, input)
}

export async function replace(
  { scope, id }: CommentKey,
  input: ReplaceComment,
  match: IfMatch,
): Promise<Comment> {
  return replaceDocument(CommentModel, { _id: id }, { schema: replaceComment, input, match, scope })
}

export async function patch(
  { scope, id }: CommentKey,
  input: PatchComment,
  match: IfMatch,
): Promise<Comment> {
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

/** Requires that the post of the comments exists and that the caller can reach it; otherwise the response is a 404. */
export async function requirePost(id: string, scope: Scope | undefined): Promise<void> {
  requireFound(await PostModel.exists(inScope(scope, { _id: id })))
}
