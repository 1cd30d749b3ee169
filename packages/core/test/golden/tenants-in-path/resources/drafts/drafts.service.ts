import {
  type ChangeOptions,
  createDocument,
  type CreateOptions,
  deleteDocument,
  type DeleteOptions,
  findDocument,
  findPage,
  type Page,
  patchDocument,
  type ReadOptions,
  replaceDocument,
} from '@create-api/core/resource'
import { type Draft, DraftModel } from './drafts.model.js'
import {
  type CreateDraft,
  type ListDrafts,
  patchDraft,
  type PatchDraft,
  replaceDraft,
  type ReplaceDraft,
} from './drafts.validation.js'

export function list(query: ListDrafts, options: ReadOptions): Promise<Page<Draft>> {
  return findPage(DraftModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Draft> {
  return findDocument(DraftModel, { _id: id }, options)
}

export function create(input: CreateDraft, options: CreateOptions): Promise<Draft> {
  return createDocument(DraftModel, input, options)
}

export function replace(id: string, input: ReplaceDraft, options: ChangeOptions): Promise<Draft> {
  return replaceDocument(DraftModel, { _id: id }, { ...options, schema: replaceDraft, input })
}

export function patch(id: string, input: PatchDraft, options: ChangeOptions): Promise<Draft> {
  return patchDocument(DraftModel, { _id: id }, { ...options, schema: patchDraft, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(DraftModel, { _id: id }, options)
}
