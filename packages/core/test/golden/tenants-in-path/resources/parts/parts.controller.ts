import { type Scope, success, type UserRequest } from '@create-api/core'
import { inScope, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './parts.service.js'
import {
  type CreatePart,
  type ListParts,
  type PartParams,
  type PartsParams,
  type PatchPart,
  type ReplacePart,
} from './parts.validation.js'

export async function list(
  req: UserRequest<{ params: PartsParams; query: ListParts }>,
  res: Response,
): Promise<void> {
  await requireParent(req)
  const page = await service.list(toScope(req), req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: UserRequest<{ params: PartParams }>, res: Response): Promise<void> {
  const part = await service.get(toKey(req))
  success(setEtag(res, part), part)
}

export async function create(
  req: UserRequest<{ params: PartsParams; body: CreatePart }>,
  res: Response,
): Promise<void> {
  await requireParent(req)
  const part = await service.create(toScope(req), req.valid.body)
  success(setCreated(res, part), part)
}

type ReplaceRequest = UserRequest<{ params: PartParams; body: ReplacePart }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const part = await service.replace(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, part), part)
}

type PatchRequest = UserRequest<{ params: PartParams; body: PatchPart }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const part = await service.patch(toKey(req), req.valid.body, parseIfMatch(req))
  success(setEtag(res, part), part)
}

export async function remove(
  req: UserRequest<{ params: PartParams }>,
  res: Response,
): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toScope(req: UserRequest<{ params: PartsParams }>): Scope {
  return inScope(req.scope, { draft: req.valid.params.draftId })
}

function toKey(req: UserRequest<{ params: PartParams }>): service.PartKey {
  return { scope: toScope(req), id: req.valid.params.id }
}

// The parts exist only under an existing draft.
function requireParent(req: UserRequest<{ params: PartsParams }>): Promise<void> {
  return service.requireDraft(req.valid.params.draftId, req.references['draft'])
}
