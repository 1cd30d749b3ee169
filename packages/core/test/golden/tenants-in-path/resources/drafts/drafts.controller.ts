import { success, type UserRequest } from '@create-api/core'
import { parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './drafts.service.js'
import {
  type CreateDraft,
  type DraftParams,
  type ListDrafts,
  type PatchDraft,
  type ReplaceDraft,
} from './drafts.validation.js'

export async function list(req: UserRequest<{ query: ListDrafts }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: UserRequest<{ params: DraftParams }>, res: Response): Promise<void> {
  const draft = await service.get(toKey(req))
  success(setEtag(res, draft), draft)
}

export async function create(
  req: UserRequest<{ body: CreateDraft }>,
  res: Response,
): Promise<void> {
  const draft = await service.create(req.scope, req.valid.body, req.references)
  success(setCreated(res, draft), draft)
}

type ReplaceRequest = UserRequest<{ params: DraftParams; body: ReplaceDraft }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const draft = await service.replace(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, draft), draft)
}

type PatchRequest = UserRequest<{ params: DraftParams; body: PatchDraft }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const draft = await service.patch(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, draft), draft)
}

export async function remove(
  req: UserRequest<{ params: DraftParams }>,
  res: Response,
): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

function toKey(req: UserRequest<{ params: DraftParams }>): service.DraftKey {
  return { scope: req.scope, id: req.valid.params.id }
}
