import { success, type UserRequest } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type ReplacePost,
  type ViewPost,
} from './posts.validation.js'

export async function list(req: UserRequest<{ query: ListPosts }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

type GetRequest = UserRequest<{ params: IdParams; query: ViewPost }>

export async function get(req: GetRequest, res: Response): Promise<void> {
  const post = await service.get(toKey(req), req.valid.query)
  success(setEtag(res, post), post)
}

export async function create(req: UserRequest<{ body: CreatePost }>, res: Response): Promise<void> {
  const post = await service.create(req.scope, req.valid.body, req.references)
  success(setCreated(res, post), post)
}

type ReplaceRequest = UserRequest<{ params: IdParams; body: ReplacePost }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const post = await service.replace(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, post), post)
}

type PatchRequest = UserRequest<{ params: IdParams; body: PatchPost }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const post = await service.patch(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, post), post)
}

export async function remove(req: UserRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: UserRequest<{ params: IdParams }>): service.PostKey {
  return { scope: req.scope, id: req.valid.params.id }
}
