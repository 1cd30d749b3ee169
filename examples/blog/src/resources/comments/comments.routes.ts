import { createRouter, defineRoute, idParams as params, listMeta } from '@create-api/core'
import * as comments from './comments.controller.js'
import {
  comment,
  createComment,
  listComments,
  patchComment,
  replaceComment,
} from './comments.validation.js'

export const commentsRouter = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: listComments,
    response: comment.array(),
    meta: listMeta,
    handler: comments.list,
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createComment,
    response: comment,
    status: 201,
    etag: true,
    idempotent: true,
    handler: comments.create,
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params,
    response: comment,
    etag: true,
    handler: comments.get,
  }),
  defineRoute({
    method: 'put',
    path: '/:id',
    access: 'public',
    params,
    body: replaceComment,
    response: comment,
    etag: true,
    handler: comments.replace,
  }),
  defineRoute({
    method: 'patch',
    path: '/:id',
    access: 'public',
    params,
    body: patchComment,
    response: comment,
    etag: true,
    handler: comments.patch,
  }),
  defineRoute({
    method: 'delete',
    path: '/:id',
    access: 'public',
    params,
    etag: true,
    handler: comments.remove,
  }),
])
