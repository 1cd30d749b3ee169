import {
  findPage,
  type IfMatch,
  type Page,
  patchDocument,
  rejectMiss,
  requireFound,
  toReplacement,
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

/** The comments a caller can access: part of every query. */
export interface CommentScope {
  post: string
  owner: string
}

/** Identifies one of them. */
export interface CommentKey extends CommentScope {
  _id: string
}

export async function list(scope: CommentScope, query: ListComments): Promise<Page<Comment>> {
  await requirePost(scope)
  return findPage(CommentModel, scope, query)
}

export async function get(key: CommentKey): Promise<Comment> {
  return requireFound(await CommentModel.findOne(key).lean())
}

export async function create(scope: CommentScope, input: CreateComment): Promise<Comment> {
  await requirePost(scope)
  const comment = await CommentModel.create({ ...input, ...scope })
  return comment.toObject()
}

export async function replace(
  key: CommentKey,
  input: ReplaceComment,
  match: IfMatch,
): Promise<Comment> {
  const changes = toReplacement(replaceComment, input)
  const comment = await CommentModel.findOneAndUpdate({ ...key, ...match }, changes, {
    returnDocument: 'after',
    runValidators: true,
  }).lean()
  return comment ?? rejectMiss(CommentModel, key, match)
}

export async function patch(
  key: CommentKey,
  input: PatchComment,
  match: IfMatch,
): Promise<Comment> {
  return patchDocument(CommentModel, key, { schema: createComment, patch: input, match })
}

export async function remove(key: CommentKey, match: IfMatch): Promise<void> {
  const comment = await CommentModel.findOneAndDelete({ ...key, ...match }).lean()
  if (!comment) await rejectMiss(CommentModel, key, match)
}

// The comments exist only under an existing post.
async function requirePost(scope: CommentScope): Promise<void> {
  requireFound(await PostModel.exists({ _id: scope.post, owner: scope.owner }))
}
