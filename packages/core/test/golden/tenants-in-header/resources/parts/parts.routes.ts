import { all, createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as parts from './parts.controller.js'
import { PartModel } from './parts.model.js'
import {
  createPart,
  listParts,
  part,
  partParams,
  partsParams,
  patchPart,
  replacePart,
} from './parts.validation.js'

export const partsRouter = createRouter(
  [
    get(
      '/',
      { params: partsParams, query: listParts, response: part.array(), meta: listMeta },
      parts.list,
    ),
    post(
      '/',
      {
        params: partsParams,
        body: createPart,
        response: part,
        status: 201,
        etag: true,
        idempotent: true,
      },
      parts.create,
    ),
    get('/:id', { response: part, etag: true }, parts.get),
    put('/:id', { body: replacePart, response: part, etag: true }, parts.replace),
    patch(
      '/:id',
      { body: patchPart, response: part, etag: true, errors: ['conflict'] },
      parts.patch,
    ),
    del('/:id', { etag: true }, parts.remove),
  ],
  {
    access: all(member, 'owner'),
    references: { draft: all(member, 'owner') },
    params: partParams,
    model: PartModel,
  },
)
