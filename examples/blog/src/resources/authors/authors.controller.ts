import { type ApiRequest, type ApiResponse, success } from '@create-api/core'
import { type IdParams, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './authors.service.js'
import {
  type AuthorOutput,
  type CreateAuthor,
  type ListAuthors,
  type PatchAuthor,
  type ReplaceAuthor,
} from './authors.validation.js'

export async function list(
  req: ApiRequest<{ query: ListAuthors }>,
  res: ApiResponse<AuthorOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: IdParams }>,
  res: ApiResponse<AuthorOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: req.scope }))
}

export async function create(
  req: ApiRequest<{ body: CreateAuthor }>,
  res: ApiResponse<AuthorOutput>,
): Promise<void> {
  const { references } = req
  const author = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, author), author)
}

export async function replace(
  req: ApiRequest<{ params: IdParams; body: ReplaceAuthor }>,
  res: ApiResponse<AuthorOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: IdParams; body: PatchAuthor }>,
  res: ApiResponse<AuthorOutput>,
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
