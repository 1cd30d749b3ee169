import { type ApiRequest, success } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './posts.service.js'
import {
  type CreatePost,
  type ListPosts,
  type PatchPost,
  type ReplacePost,
} from './posts.validation.js'

export async function list(req: ApiRequest<{ query: ListPosts }>, res: Response): Promise<void> {
  const page = await service.list(req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  const post = await service.get(req.valid.params.id)
  success(setEtag(res, post), post)
}

export async function create(req: ApiRequest<{ body: CreatePost }>, res: Response): Promise<void> {
  const post = await service.create(req.valid.body)
  success(setCreated(res, post), post)
}

type ReplaceRequest = ApiRequest<{ params: IdParams; body: ReplacePost }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body, params } = req.valid
  const post = await service.replace(params.id, body, parseIfMatch(req))
  success(setEtag(res, post), post)
}

type PatchRequest = ApiRequest<{ params: IdParams; body: PatchPost }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body, params } = req.valid
  const post = await service.patch(params.id, body, parseIfMatch(req))
  success(setEtag(res, post), post)
}

export async function remove(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(req.valid.params.id, parseIfMatch(req))
  success(res)
}
