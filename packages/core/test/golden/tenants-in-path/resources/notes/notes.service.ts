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
  restoreDocument,
} from '@create-api/core/resource'
import { type Note, NoteModel } from './notes.model.js'
import {
  type CreateNote,
  type ListNotes,
  patchNote,
  type PatchNote,
  replaceNote,
  type ReplaceNote,
} from './notes.validation.js'

export function list(query: ListNotes, options: ReadOptions): Promise<Page<Note>> {
  return findPage(NoteModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Note> {
  return findDocument(NoteModel, { _id: id }, options)
}

export function create(input: CreateNote, options: CreateOptions): Promise<Note> {
  return createDocument(NoteModel, input, options)
}

export function replace(id: string, input: ReplaceNote, options: ChangeOptions): Promise<Note> {
  return replaceDocument(NoteModel, { _id: id }, { ...options, schema: replaceNote, input })
}

export function patch(id: string, input: PatchNote, options: ChangeOptions): Promise<Note> {
  return patchDocument(NoteModel, { _id: id }, { ...options, schema: patchNote, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(NoteModel, { _id: id }, options)
}

export function restore(id: string, options: ReadOptions): Promise<Note> {
  return restoreDocument(NoteModel, { _id: id }, options)
}
