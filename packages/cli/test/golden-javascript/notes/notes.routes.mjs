import { all, createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import { editors } from '../../access.mjs'
import * as notes from './notes.controller.mjs'
import { NoteModel } from './notes.model.mjs'
import {
  createNote,
  listNotes,
  note,
  noteParams,
  notesParams,
  patchNote,
  replaceNote,
} from './notes.validation.mjs'

export const notesRouter = createRouter(
  [
    get(
      '/',
      { params: notesParams, query: listNotes, response: note.array(), meta: listMeta },
      notes.list,
    ),
    post(
      '/',
      {
        params: notesParams,
        body: createNote,
        response: note,
        status: 201,
        etag: true,
        idempotent: true,
        errors: ['duplicate'],
      },
      notes.create,
    ),
    get('/:id', { response: note, etag: true }, notes.get),
    put(
      '/:id',
      { body: replaceNote, response: note, etag: true, errors: ['conflict', 'duplicate'] },
      notes.replace,
    ),
    patch(
      '/:id',
      { body: patchNote, response: note, etag: true, errors: ['conflict', 'duplicate'] },
      notes.patch,
    ),
    del('/:id', { etag: true }, notes.remove),
  ],
  { access: all(member, editors), params: noteParams, model: NoteModel },
)
