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
import { NoteModel } from '../notes/notes.model.js'
import { type Remark, RemarkModel } from './remarks.model.js'
import {
  type CreateRemark,
  type ListRemarks,
  patchRemark,
  type PatchRemark,
  replaceRemark,
  type ReplaceRemark,
} from './remarks.validation.js'

export function list(query: ListRemarks, options: ReadOptions): Promise<Page<Remark>> {
  return findPage(RemarkModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Remark> {
  return findDocument(RemarkModel, { _id: id }, options)
}

export function create(input: CreateRemark, options: CreateOptions): Promise<Remark> {
  return createDocument(RemarkModel, input, options)
}

export function replace(id: string, input: ReplaceRemark, options: ChangeOptions): Promise<Remark> {
  return replaceDocument(RemarkModel, { _id: id }, { ...options, schema: replaceRemark, input })
}

export function patch(id: string, input: PatchRemark, options: ChangeOptions): Promise<Remark> {
  return patchDocument(RemarkModel, { _id: id }, { ...options, schema: patchRemark, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(RemarkModel, { _id: id }, options)
}

/** Returns the id of the note that the remarks belong to; the response is a 404 without one that the caller can reach. */
export async function findNoteId(id: string, { scope }: ReadOptions): Promise<string> {
  const note = await findDocument(NoteModel, { _id: id }, { scope, query: { fields: [] } })
  return String(note._id)
}
