import { type ApiRequest, type ApiResponse, success } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type PostOutput,
  type ReplacePost,
  type ViewedPost,
  type ViewPost,
} from './posts.validation.js'

export async function list(
  req: ApiRequest<{ query: ListPosts }>,
  res: ApiResponse<ViewedPost[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: IdParams; query: ViewPost }>,
  res: ApiResponse<ViewedPost>,
): Promise<void> {
  const { params, query } = req.valid
  success(res, await service.get(params.id, query, { scope: req.scope }))
}

export async function create(
  req: ApiRequest<{ body: CreatePost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { references } = req
  const post = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, post), post)
}

export async function replace(
  req: ApiRequest<{ params: IdParams; body: ReplacePost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: IdParams; body: PatchPost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.id, body, options))
}

export async function remove(
  req: ApiRequest<{ params: IdParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}
