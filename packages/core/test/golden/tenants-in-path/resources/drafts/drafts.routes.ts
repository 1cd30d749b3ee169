import { all, createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as drafts from './drafts.controller.js'
import { DraftModel } from './drafts.model.js'
import {
  createDraft,
  draft,
  draftParams,
  draftsParams,
  listDrafts,
  patchDraft,
  replaceDraft,
} from './drafts.validation.js'

export const draftsRouter = createRouter(
  [
    get(
      '/',
      { params: draftsParams, query: listDrafts, response: draft.array(), meta: listMeta },
      drafts.list,
    ),
    post(
      '/',
      {
        params: draftsParams,
        body: createDraft,
        response: draft,
        status: 201,
        etag: true,
        idempotent: true,
      },
      drafts.create,
    ),
    get('/:id', { response: draft, etag: true }, drafts.get),
    put('/:id', { body: replaceDraft, response: draft, etag: true }, drafts.replace),
    patch(
      '/:id',
      { body: patchDraft, response: draft, etag: true, errors: ['conflict'] },
      drafts.patch,
    ),
    del('/:id', { etag: true }, drafts.remove),
  ],
  {
    access: all(member, 'owner'),
    references: { follows: all(member, 'owner') },
    params: draftParams,
    model: DraftModel,
  },
)
