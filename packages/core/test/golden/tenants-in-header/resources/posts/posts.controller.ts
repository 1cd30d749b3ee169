import { type ApiRequest, type ApiResponse, success } from '@create-api/core'
import { parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type PostOutput,
  type PostParams,
  type ReplacePost,
} from './posts.validation.js'

export async function list(
  req: ApiRequest<{ query: ListPosts }>,
  res: ApiResponse<PostOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: PostParams }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.slug, { scope: req.scope }))
}

export async function create(
  req: ApiRequest<{ body: CreatePost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { references } = req
  const post = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, post, post.slug), post)
}

export async function replace(
  req: ApiRequest<{ params: PostParams; body: ReplacePost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.slug, body, options))
}

export async function patch(
  req: ApiRequest<{ params: PostParams; body: PatchPost }>,
  res: ApiResponse<PostOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.slug, body, options))
}

export async function remove(
  req: ApiRequest<{ params: PostParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.slug, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}
