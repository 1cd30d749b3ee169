import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  type ReferenceScopes,
  rejectMiss,
  replaceDocument,
  requireFound,
  requireReferences,
} from '@create-api/core/resource'
import { type Draft, DraftModel } from './drafts.model.js'
import {
  createDraft,
  type CreateDraft,
  type ListDrafts,
  type PatchDraft,
  replaceDraft,
  type ReplaceDraft,
} from './drafts.validation.js'

/** Identifies one of the drafts that a caller can reach. */
export interface DraftKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListDrafts): Promise<Page<Draft>> {
  return findPage(DraftModel, scope, query)
}

export async function get({ scope, id }: DraftKey): Promise<Draft> {
  return requireFound(await DraftModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(
  scope: Scope,
  input: CreateDraft,
  references: ReferenceScopes,
): Promise<Draft> {
  await requireReferences(DraftModel, input, references)
  return createInScope(DraftModel, scope, input)
}

export async function replace(
  { scope, id }: DraftKey,
  input: ReplaceDraft,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Draft> {
  await requireReferences(DraftModel, input, references)
  return replaceDocument(DraftModel, { _id: id }, { schema: replaceDraft, input, match, scope })
}

export async function patch(
  { scope, id }: DraftKey,
  input: PatchDraft,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Draft> {
  await requireReferences(DraftModel, input, references)
  return patchDocument(DraftModel, { _id: id }, { schema: createDraft, patch: input, match, scope })
}

export async function remove({ scope, id }: DraftKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const draft = await DraftModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!draft) await rejectMiss(DraftModel, filter, match)
}
