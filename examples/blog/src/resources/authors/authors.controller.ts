import { success, type UserRequest } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './authors.service.js'
import {
  type CreateAuthor,
  type ListAuthors,
  type PatchAuthor,
  type ReplaceAuthor,
} from './authors.validation.js'

export async function list(req: UserRequest<{ query: ListAuthors }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: UserRequest<{ params: IdParams }>, res: Response): Promise<void> {
  const author = await service.get(toKey(req))
  success(setEtag(res, author), author)
}

export async function create(
  req: UserRequest<{ body: CreateAuthor }>,
  res: Response,
): Promise<void> {
  const author = await service.create(req.scope, req.valid.body)
  success(setCreated(res, author), author)
}

type ReplaceRequest = UserRequest<{ params: IdParams; body: ReplaceAuthor }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const author = await service.replace(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, author), author)
}

type PatchRequest = UserRequest<{ params: IdParams; body: PatchAuthor }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const author = await service.patch(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, author), author)
}

export async function remove(req: UserRequest<{ params: IdParams }>, res: Response): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: UserRequest<{ params: IdParams }>): service.AuthorKey {
  return { scope: req.scope, id: req.valid.params.id }
}
