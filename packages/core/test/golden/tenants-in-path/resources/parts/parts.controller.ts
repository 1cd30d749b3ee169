import { type ApiRequest, type ApiResponse, type Scope, success } from '@create-api/core'
import { inScope, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './parts.service.js'
import {
  type CreatePart,
  type ListParts,
  type PartOutput,
  type PartParams,
  type PartsParams,
  type PatchPart,
  type ReplacePart,
} from './parts.validation.js'

export async function list(
  req: ApiRequest<{ params: PartsParams; query: ListParts }>,
  res: ApiResponse<PartOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: await toScope(req) })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: PartParams }>,
  res: ApiResponse<PartOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: await toScope(req) }))
}

export async function create(
  req: ApiRequest<{ params: PartsParams; body: CreatePart }>,
  res: ApiResponse<PartOutput>,
): Promise<void> {
  const { references } = req
  const part = await service.create(req.valid.body, { scope: await toScope(req), references })
  success(setCreated(res, part), part)
}

export async function replace(
  req: ApiRequest<{ params: PartParams; body: ReplacePart }>,
  res: ApiResponse<PartOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: PartParams; body: PatchPart }>,
  res: ApiResponse<PartOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.patch(params.id, body, options))
}

export async function remove(
  req: ApiRequest<{ params: PartParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: await toScope(req), match: parseIfMatch(req) })
  success(res)
}

// The parts exist only under an existing draft.
async function toScope(req: ApiRequest<{ params: PartsParams }>): Promise<Scope> {
  const { draftId } = req.valid.params
  const draft = await service.findDraftId(draftId, { scope: req.references['draft'] })
  return inScope(req.scope, { draft })
}
