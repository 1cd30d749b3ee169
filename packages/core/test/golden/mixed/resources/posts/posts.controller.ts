import { type ApiRequest, success, type UserRequest } from '@create-api/core'
import {
  type IdParams,
  inScope,
  parseIfMatch,
  setCreated,
  setEtag,
} from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type ReplacePost,
} from './posts.validation.js'

export async function list(req: ApiRequest<{ query: ListPosts }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  const post = await service.get(toKey(req))
  success(setEtag(res, post), post)
}

export async function create(req: UserRequest<{ body: CreatePost }>, res: Response): Promise<void> {
  const post = await service.create(inScope(req.scope, { owner: req.user.id }), req.valid.body)
  success(setCreated(res, post), post)
}

type ReplaceRequest = ApiRequest<{ params: IdParams; body: ReplacePost }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const post = await service.replace(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, post), post)
}

type PatchRequest = ApiRequest<{ params: IdParams; body: PatchPost }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const post = await service.patch(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, post), post)
}

export async function remove(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: ApiRequest<{ params: IdParams }>): service.PostKey {
  return { scope: req.scope, id: req.valid.params.id }
}
