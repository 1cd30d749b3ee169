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
import { DraftModel } from '../drafts/drafts.model.js'
import { type Part, PartModel } from './parts.model.js'
import {
  type CreatePart,
  type ListParts,
  patchPart,
  type PatchPart,
  replacePart,
  type ReplacePart,
} from './parts.validation.js'

export function list(query: ListParts, options: ReadOptions): Promise<Page<Part>> {
  return findPage(PartModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Part> {
  return findDocument(PartModel, { _id: id }, options)
}

export function create(input: CreatePart, options: CreateOptions): Promise<Part> {
  return createDocument(PartModel, input, options)
}

export function replace(id: string, input: ReplacePart, options: ChangeOptions): Promise<Part> {
  return replaceDocument(PartModel, { _id: id }, { ...options, schema: replacePart, input })
}

export function patch(id: string, input: PatchPart, options: ChangeOptions): Promise<Part> {
  return patchDocument(PartModel, { _id: id }, { ...options, schema: patchPart, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(PartModel, { _id: id }, options)
}

/** Returns the id of the draft that the parts belong to; the response is a 404 without one that the caller can reach. */
export async function findDraftId(id: string, { scope }: ReadOptions): Promise<string> {
  const draft = await findDocument(DraftModel, { _id: id }, { scope, query: { fields: [] } })
  return String(draft._id)
}
