import { type ApiRequest, type Scope, success, type UserRequest } from '@create-api/core'
import { inScope, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './remarks.service.js'
import {
  type CreateRemark,
  type ListRemarks,
  type PatchRemark,
  type RemarkParams,
  type RemarksParams,
  type ReplaceRemark,
} from './remarks.validation.js'

export async function list(
  req: ApiRequest<{ params: RemarksParams; query: ListRemarks }>,
  res: Response,
): Promise<void> {
  const page = await service.list(await toScope(req), req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: RemarkParams }>, res: Response): Promise<void> {
  const remark = await service.get(await toKey(req))
  success(setEtag(res, remark), remark)
}

export async function create(
  req: UserRequest<{ params: RemarksParams; body: CreateRemark }>,
  res: Response,
): Promise<void> {
  const remark = await service.create(
    inScope(await toScope(req), { owner: req.user.id }),
    req.valid.body,
  )
  success(setCreated(res, remark), remark)
}

type ReplaceRequest = ApiRequest<{ params: RemarkParams; body: ReplaceRemark }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const remark = await service.replace(await toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, remark), remark)
}

type PatchRequest = ApiRequest<{ params: RemarkParams; body: PatchRemark }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const remark = await service.patch(await toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, remark), remark)
}

export async function remove(
  req: ApiRequest<{ params: RemarkParams }>,
  res: Response,
): Promise<void> {
  await service.remove(await toKey(req), parseIfMatch(req))
  success(res)
}

async function toScope(req: ApiRequest<{ params: RemarksParams }>): Promise<Scope> {
  await requireParent(req)
  return inScope(req.scope, { note: req.valid.params.noteId })
}

async function toKey(req: ApiRequest<{ params: RemarkParams }>): Promise<service.RemarkKey> {
  return { scope: await toScope(req), id: req.valid.params.id }
}

// The remarks exist only under an existing note.
function requireParent(req: ApiRequest<{ params: RemarksParams }>): Promise<void> {
  return service.requireNote(req.valid.params.noteId, req.references['note'])
}
