import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  type ReferenceScopes,
  replaceDocument,
  requireFound,
  requireReferences,
  restoreDocument,
  softDeleteDocument,
} from '@create-api/core/resource'
import { type Note, NoteModel } from './notes.model.js'
import {
  createNote,
  type CreateNote,
  type ListNotes,
  type PatchNote,
  replaceNote,
  type ReplaceNote,
} from './notes.validation.js'

/** Identifies one of the notes that a caller can reach. */
export interface NoteKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListNotes): Promise<Page<Note>> {
  return findPage(NoteModel, scope, query)
}

export async function get({ scope, id }: NoteKey): Promise<Note> {
  return requireFound(await NoteModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(
  scope: Scope,
  input: CreateNote,
  references: ReferenceScopes,
): Promise<Note> {
  await requireReferences(NoteModel, input, references)
  return createInScope(NoteModel, scope, input)
}

export async function replace(
  { scope, id }: NoteKey,
  input: ReplaceNote,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Note> {
  await requireReferences(NoteModel, input, references)
  return replaceDocument(NoteModel, { _id: id }, { schema: replaceNote, input, match, scope })
}

export async function patch(
  { scope, id }: NoteKey,
  input: PatchNote,
  match: IfMatch,
  references: ReferenceScopes,
): Promise<Note> {
  await requireReferences(NoteModel, input, references)
  return patchDocument(NoteModel, { _id: id }, { schema: createNote, patch: input, match, scope })
}

export function remove({ scope, id }: NoteKey, match: IfMatch): Promise<void> {
  return softDeleteDocument(NoteModel, { _id: id }, { match, scope })
}

export function restore({ scope, id }: NoteKey): Promise<Note> {
  return restoreDocument(NoteModel, { _id: id }, { scope })
}
