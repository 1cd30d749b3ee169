import { type ApiRequest, success } from '@create-api/core'
import { parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type PostParams,
  type ReplacePost,
} from './posts.validation.js'

export async function list(req: ApiRequest<{ query: ListPosts }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: PostParams }>, res: Response): Promise<void> {
  const post = await service.get(toKey(req))
  success(setEtag(res, post), post)
}

export async function create(req: ApiRequest<{ body: CreatePost }>, res: Response): Promise<void> {
  const post = await service.create(req.scope, req.valid.body, req.references)
  success(setCreated(res, post, post.slug), post)
}

type ReplaceRequest = ApiRequest<{ params: PostParams; body: ReplacePost }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const post = await service.replace(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, post), post)
}

type PatchRequest = ApiRequest<{ params: PostParams; body: PatchPost }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const post = await service.patch(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, post), post)
}

export async function remove(
  req: ApiRequest<{ params: PostParams }>,
  res: Response,
): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: ApiRequest<{ params: PostParams }>): service.PostKey {
  return { scope: req.scope, slug: req.valid.params.slug }
}
