import { type ApiRequest, success } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './categories.service.js'
import {
  type CreateCategory,
  type ListCategories,
  type PatchCategory,
  type ReplaceCategory,
} from './categories.validation.js'

export async function list(
  req: ApiRequest<{ query: ListCategories }>,
  res: Response,
): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  const category = await service.get(toKey(req))
  success(setEtag(res, category), category)
}

export async function create(
  req: ApiRequest<{ body: CreateCategory }>,
  res: Response,
): Promise<void> {
  const category = await service.create(req.scope, req.valid.body)
  success(setCreated(res, category), category)
}

type ReplaceRequest = ApiRequest<{ params: IdParams; body: ReplaceCategory }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const category = await service.replace(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, category), category)
}

type PatchRequest = ApiRequest<{ params: IdParams; body: PatchCategory }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const category = await service.patch(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, category), category)
}

export async function remove(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: ApiRequest<{ params: IdParams }>): service.CategoryKey {
  return { scope: req.scope, id: req.valid.params.id }
}
