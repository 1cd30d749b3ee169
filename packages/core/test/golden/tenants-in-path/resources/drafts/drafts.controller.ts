import { type ApiRequest, type ApiResponse, success } from '@create-api/core'
import { parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './drafts.service.js'
import {
  type CreateDraft,
  type DraftOutput,
  type DraftParams,
  type ListDrafts,
  type PatchDraft,
  type ReplaceDraft,
} from './drafts.validation.js'

export async function list(
  req: ApiRequest<{ query: ListDrafts }>,
  res: ApiResponse<DraftOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: DraftParams }>,
  res: ApiResponse<DraftOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: req.scope }))
}

export async function create(
  req: ApiRequest<{ body: CreateDraft }>,
  res: ApiResponse<DraftOutput>,
): Promise<void> {
  const { references } = req
  const draft = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, draft), draft)
}

export async function replace(
  req: ApiRequest<{ params: DraftParams; body: ReplaceDraft }>,
  res: ApiResponse<DraftOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: DraftParams; body: PatchDraft }>,
  res: ApiResponse<DraftOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.id, body, options))
}

export async function remove(
  req: ApiRequest<{ params: DraftParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}
