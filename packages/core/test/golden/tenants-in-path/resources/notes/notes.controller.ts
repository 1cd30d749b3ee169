import { type ApiRequest, type ApiResponse, success, type UserRequest } from '@create-api/core'
import { inScope, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './notes.service.js'
import {
  type CreateNote,
  type ListNotes,
  type NoteOutput,
  type NoteParams,
  type PatchNote,
  type ReplaceNote,
} from './notes.validation.js'

export async function list(
  req: ApiRequest<{ query: ListNotes }>,
  res: ApiResponse<NoteOutput[]>,
): Promise<void> {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

export async function get(
  req: ApiRequest<{ params: NoteParams }>,
  res: ApiResponse<NoteOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: req.scope }))
}

export async function create(
  req: UserRequest<{ body: CreateNote }>,
  res: ApiResponse<NoteOutput>,
): Promise<void> {
  const { references } = req
  const note = await service.create(req.valid.body, {
    scope: inScope(req.scope, { owner: req.user.id }),
    references,
  })
  success(setCreated(res, note), note)
}

export async function replace(
  req: ApiRequest<{ params: NoteParams; body: ReplaceNote }>,
  res: ApiResponse<NoteOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.id, body, options))
}

export async function patch(
  req: ApiRequest<{ params: NoteParams; body: PatchNote }>,
  res: ApiResponse<NoteOutput>,
): Promise<void> {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.id, body, options))
}

export async function remove(
  req: ApiRequest<{ params: NoteParams }>,
  res: ApiResponse,
): Promise<void> {
  const { params } = req.valid
  await service.remove(params.id, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}

export async function restore(
  req: ApiRequest<{ params: NoteParams }>,
  res: ApiResponse<NoteOutput>,
): Promise<void> {
  const { params } = req.valid
  success(res, await service.restore(params.id, { scope: req.scope }))
}
