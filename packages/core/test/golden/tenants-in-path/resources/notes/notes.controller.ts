import { type ApiRequest, success, type UserRequest } from '@create-api/core'
import { inScope, parseIfMatch, setCreated, setEtag } from '@create-api/core/resource'
import { type Response } from 'express'
import * as service from './notes.service.js'
import {
  type CreateNote,
  type ListNotes,
  type NoteParams,
  type PatchNote,
  type ReplaceNote,
} from './notes.validation.js'

export async function list(req: ApiRequest<{ query: ListNotes }>, res: Response): Promise<void> {
  const page = await service.list(req.scope, req.valid.query)
  success(res, page.data, page.meta)
}

export async function get(req: ApiRequest<{ params: NoteParams }>, res: Response): Promise<void> {
  const note = await service.get(toKey(req))
  success(setEtag(res, note), note)
}

export async function create(req: UserRequest<{ body: CreateNote }>, res: Response): Promise<void> {
  const note = await service.create(
    inScope(req.scope, { owner: req.user.id }),
    req.valid.body,
    req.references,
  )
  success(setCreated(res, note), note)
}

type ReplaceRequest = ApiRequest<{ params: NoteParams; body: ReplaceNote }>

export async function replace(req: ReplaceRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const note = await service.replace(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, note), note)
}

type PatchRequest = ApiRequest<{ params: NoteParams; body: PatchNote }>

export async function patch(req: PatchRequest, res: Response): Promise<void> {
  const { body } = req.valid
  const note = await service.patch(toKey(req), body, parseIfMatch(req), req.references)
  success(setEtag(res, note), note)
}

export async function remove(
  req: ApiRequest<{ params: NoteParams }>,
  res: Response,
): Promise<void> {
  await service.remove(toKey(req), parseIfMatch(req))
  success(res)
}

export async function restore(
  req: ApiRequest<{ params: NoteParams }>,
  res: Response,
): Promise<void> {
  const note = await service.restore(toKey(req))
  success(setEtag(res, note), note)
}

function toKey(req: ApiRequest<{ params: NoteParams }>): service.NoteKey {
  return { scope: req.scope, id: req.valid.params.id }
}
