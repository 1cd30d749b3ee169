import { all, any, createRouter, del, get, patch, post, put } from '@create-api/core'
import { idParams as params, listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as notes from './notes.controller.js'
import { NoteModel } from './notes.model.js'
import { createNote, listNotes, note, patchNote, replaceNote } from './notes.validation.js'

export const notesRouter = createRouter(
  [
    get(
      '/',
      { access: member, query: listNotes, response: note.array(), meta: listMeta },
      notes.list,
    ),
    post(
      '/',
      {
        access: member,
        body: createNote,
        response: note,
        status: 201,
        etag: true,
        idempotent: true,
        errors: ['duplicate'],
      },
      notes.create,
    ),
    get('/:id', { access: member, response: note, etag: true }, notes.get),
    put(
      '/:id',
      {
        access: all(member, any('owner', 'admin')),
        body: replaceNote,
        response: note,
        etag: true,
        errors: ['duplicate'],
      },
      notes.replace,
    ),
    patch(
      '/:id',
      {
        access: all(member, 'owner'),
        body: patchNote,
        response: note,
        etag: true,
        errors: ['conflict', 'duplicate'],
      },
      notes.patch,
    ),
    del('/:id', { access: all(member, 'admin'), etag: true }, notes.remove),
    post(
      '/:id/restore',
      { access: all(member, 'admin'), response: note, etag: true, errors: ['duplicate'] },
      notes.restore,
    ),
  ],
  { references: { category: member }, params, model: NoteModel },
)
