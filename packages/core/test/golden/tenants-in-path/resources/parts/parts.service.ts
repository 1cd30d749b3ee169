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
import { DraftModel } from '../drafts/drafts.model.js'
import { type Part, PartModel } from './parts.model.js'
import {
  createPart,
  type CreatePart,
  type ListParts,
  type PatchPart,
  replacePart,
  type ReplacePart,
} from './parts.validation.js'

/** Identifies one of the parts that a caller can reach. */
export interface PartKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListParts): Promise<Page<Part>> {
  return findPage(PartModel, scope, query)
}

export async function get({ scope, id }: PartKey): Promise<Part> {
  return requireFound(await PartModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(scope: Scope, input: CreatePart): Promise<Part> {
  return createInScope(PartModel, scope, input)
}

export async function replace(
  { scope, id }: PartKey,
  input: ReplacePart,
  match: IfMatch,
): Promise<Part> {
  return replaceDocument(PartModel, { _id: id }, { schema: replacePart, input, match, scope })
}

export async function patch(
  { scope, id }: PartKey,
  input: PatchPart,
  match: IfMatch,
): Promise<Part> {
  return patchDocument(PartModel, { _id: id }, { schema: createPart, patch: input, match, scope })
}

export async function remove({ scope, id }: PartKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const part = await PartModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!part) await rejectMiss(PartModel, filter, match)
}

/** Requires that the draft of the parts exists and that the caller can reach it; otherwise the response is a 404. */
export async function requireDraft(id: string, scope: Scope | undefined): Promise<void> {
  requireFound(await DraftModel.exists(inScope(scope, { _id: id })))
}
