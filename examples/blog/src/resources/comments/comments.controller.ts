import { type Scope, success, type UserRequest } from '@create-api/core'
import { inScope, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './comments.service.js'
import {
  type CommentParams,
  type CommentsParams,
  type CreateComment,
  type ListComments,
  type PatchComment,
  type ReplaceComment,
} from './comments.validation.js'

export async function list(
  req: UserRequest<{ params: CommentsParams; query: ListComments }>,
  res: Response,
): Promise<void> {
  await requireParent(req)
  const page = await service.list(toScope(req), req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(
  req: UserRequest<{ params: CommentParams }>,
  res: Response,
): Promise<void> {
  const comment = await service.get(toKey(req))
  success(setEtag(res, comment), comment)
}

export async function create(
  req: UserRequest<{ params: CommentsParams; body: CreateComment }>,
  res: Response,
): Promise<void> {
  await requireParent(req)
  const comment = await service.create(toScope(req), req.valid.body)
  success(setCreated(res, comment), comment)
}

type ReplaceRequest = UserRequest<{ params: CommentParams; body: ReplaceComment }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const comment = await service.replace(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, comment), comment)
}

type PatchRequest = UserRequest<{ params: CommentParams; body: PatchComment }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const comment = await service.patch(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, comment), comment)
}

export async function remove(
  req: UserRequest<{ params: CommentParams }>,
  res: Response,
): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toScope(req: UserRequest<{ params: CommentsParams }>): Scope {
  return inScope(req.scope, { post: req.valid.params.postId })
}

function toKey(req: UserRequest<{ params: CommentParams }>): service.CommentKey {
  return { scope: toScope(req), id: req.valid.params.id }
}

// The comments exist only under an existing post.
function requireParent(req: UserRequest<{ params: CommentsParams }>): Promise<void> {
  return service.requirePost(req.valid.params.postId, req.references['post'])
}
