import {
  type ApiRequest,
  type IdParams,
  parseIfMatch,
  setCreated,
  setEtag,
  success,
} from '@create-api/core'
import { type Response } from 'express'
import * as service from './comments.service.js'
import {
  type CreateComment,
  type ListComments,
  type PatchComment,
  type ReplaceComment,
} from './comments.validation.js'

export async function list(req: ApiRequest<{ query: ListComments }>, res: Response): Promise<void> {
  const page = await service.list(req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  const comment = await service.get(req.valid.params.id)
  success(setEtag(res, comment), comment)
}

export async function create(
  req: ApiRequest<{ body: CreateComment }>,
  res: Response,
): Promise<void> {
  const comment = await service.create(req.valid.body)
  success(setCreated(res, comment), comment)
}

type ReplaceRequest = ApiRequest<{ params: IdParams; body: ReplaceComment }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const comment = await service.replace(req.valid.params.id, req.valid.body, parseIfMatch(req))
  success(setEtag(res, comment), comment)
}

type PatchRequest = ApiRequest<{ params: IdParams; body: PatchComment }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const comment = await service.patch(req.valid.params.id, req.valid.body, parseIfMatch(req))
  success(setEtag(res, comment), comment)
}

export async function remove(req: ApiRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(req.valid.params.id, parseIfMatch(req))
  success(res)
}
