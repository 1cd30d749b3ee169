import { type ApiRequest, type Scope, success } from '@create-api/core'
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
  req: ApiRequest<{ params: CommentsParams; query: ListComments }>,
  res: Response,
): Promise<void> {
  const page = await service.list(await toScope(req), req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: CommentParams }>,
  res: Response,
): Promise<void> {
  const comment = await service.get(await toKey(req))
  success(setEtag(res, comment), comment)
}

export async function create(
  req: ApiRequest<{ params: CommentsParams; body: CreateComment }>,
  res: Response,
): Promise<void> {
  const comment = await service.create(await toScope(req), req.valid.body, req.references)
  success(setCreated(res, comment), comment)
}

type ReplaceRequest = ApiRequest<{ params: CommentParams; body: ReplaceComment }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const comment = await service.replace(await toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, comment), comment)
}

type PatchRequest = ApiRequest<{ params: CommentParams; body: PatchComment }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const comment = await service.patch(await toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, comment), comment)
}

export async function remove(
  req: ApiRequest<{ params: CommentParams }>,
  res: Response,
): Promise<void> {
  await service.remove(await toKey(req), parseIfMatch(req))
  success(res)
}

async function toScope(req: ApiRequest<{ params: CommentsParams }>): Promise<Scope> {
  const { postSlug } = req.valid.params
  const post = await service.findPostId(postSlug, req.references['post'])
  return inScope(req.scope, { post })
}

async function toKey(req: ApiRequest<{ params: CommentParams }>): Promise<service.CommentKey> {
  return { scope: await toScope(req), id: req.valid.params.id }
}
