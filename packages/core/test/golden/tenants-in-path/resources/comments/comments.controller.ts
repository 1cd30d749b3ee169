import { type ApiRequest, type ApiResponse, type Scope, success } from '@create-api/core'
import { inScope, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './comments.service.js'
import {
  type CommentOutput,
  type CommentParams,
  type CommentsParams,
  type CreateComment,
  type ListComments,
  type PatchComment,
  type ReplaceComment,
} from './comments.validation.js'

export async function list(
  req: ApiRequest<{ params: CommentsParams; query: ListComments }>,
  res: ApiResponse<CommentOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: await toScope(req) })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: CommentParams }>,
  res: ApiResponse<CommentOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: await toScope(req) }))
}

export async function create(
  req: ApiRequest<{ params: CommentsParams; body: CreateComment }>,
  res: ApiResponse<CommentOutput>,
): Promise<void> {
  const { references } = req
  const comment = await service.create(req.valid.body, { scope: await toScope(req), references })
  success(setCreated(res, comment), comment)
}

export async function replace(
  req: ApiRequest<{ params: CommentParams; body: ReplaceComment }>,
  res: ApiResponse<CommentOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: CommentParams; body: PatchComment }>,
  res: ApiResponse<CommentOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.patch(params.id, body, options))
}

export async function remove(
  req: ApiRequest<{ params: CommentParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: await toScope(req), match: parseIfMatch(req) })
  success(res)
}

// The comments exist only under an existing post.
async function toScope(req: ApiRequest<{ params: CommentsParams }>): Promise<Scope> {
  const { postSlug } = req.valid.params
  const post = await service.findPostId(postSlug, { scope: req.references['post'] })
  return inScope(req.scope, { post })
}
