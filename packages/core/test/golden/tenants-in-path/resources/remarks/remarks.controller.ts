import {
  type ApiRequest,
  type ApiResponse,
  type Scope,
  success,
  type UserRequest,
} from '@create-api/core'
import { inScope, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './remarks.service.js'
import {
  type CreateRemark,
  type ListRemarks,
  type PatchRemark,
  type RemarkOutput,
  type RemarkParams,
  type RemarksParams,
  type ReplaceRemark,
} from './remarks.validation.js'

export async function list(
  req: ApiRequest<{ params: RemarksParams; query: ListRemarks }>,
  res: ApiResponse<RemarkOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: await toScope(req) })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: RemarkParams }>,
  res: ApiResponse<RemarkOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: await toScope(req) }))
}

export async function create(
  req: UserRequest<{ params: RemarksParams; body: CreateRemark }>,
  res: ApiResponse<RemarkOutput>,
): Promise<void> {
  const { references } = req
  const remark = await service.create(req.valid.body, {
    scope: inScope(await toScope(req), { owner: req.user.id }),
    references,
  })
  success(setCreated(res, remark), remark)
}

export async function replace(
  req: ApiRequest<{ params: RemarkParams; body: ReplaceRemark }>,
  res: ApiResponse<RemarkOutput>,
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
  req: ApiRequest<{ params: RemarkParams; body: PatchRemark }>,
  res: ApiResponse<RemarkOutput>,
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
  req: ApiRequest<{ params: RemarkParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: await toScope(req), match: parseIfMatch(req) })
  success(res)
}

// The remarks exist only under an existing note.
async function toScope(req: ApiRequest<{ params: RemarksParams }>): Promise<Scope> {
  const { noteId } = req.valid.params
  const note = await service.findNoteId(noteId, { scope: req.references['note'] })
  return inScope(req.scope, { note })
}
