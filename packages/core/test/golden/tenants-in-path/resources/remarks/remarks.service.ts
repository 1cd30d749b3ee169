import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  rejectMiss,
  replaceDocument,
  requireFound,
} from '@create-api/core/resource'
import { NoteModel } from '../notes/notes.model.js'
import { type Remark, RemarkModel } from './remarks.model.js'
import {
  createRemark,
  type CreateRemark,
  type ListRemarks,
  type PatchRemark,
  replaceRemark,
  type ReplaceRemark,
} from './remarks.validation.js'

/** Identifies one of the remarks that a caller can reach. */
export interface RemarkKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListRemarks): Promise<Page<Remark>> {
  return findPage(RemarkModel, scope, query)
}

export async function get({ scope, id }: RemarkKey): Promise<Remark> {
  return requireFound(await RemarkModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(scope: Scope, input: CreateRemark): Promise<Remark> {
  return createInScope(RemarkModel, scope, input)
}

export async function replace(
  { scope, id }: RemarkKey,
  input: ReplaceRemark,
  match: IfMatch,
): Promise<Remark> {
  return replaceDocument(RemarkModel, { _id: id }, { schema: replaceRemark, input, match, scope })
}

export async function patch(
  { scope, id }: RemarkKey,
  input: PatchRemark,
  match: IfMatch,
): Promise<Remark> {
  return patchDocument(
    RemarkModel,
    { _id: id },
    { schema: createRemark, patch: input, match, scope },
  )
}

export async function remove({ scope, id }: RemarkKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const remark = await RemarkModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!remark) await rejectMiss(RemarkModel, filter, match)
}

/** Requires that the note of the remarks exists and that the caller can reach it; otherwise the response is a 404. */
export async function requireNote(id: string, scope: Scope | undefined): Promise<void> {
  requireFound(await NoteModel.exists(inScope(scope, { _id: id })))
}
