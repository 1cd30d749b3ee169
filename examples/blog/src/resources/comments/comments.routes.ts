import { createRouter, defineRoute } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import * as comments from './comments.controller.js'
import { CommentModel } from './comments.model.js'
import {
  comment,
  commentParams,
  commentsParams,
  createComment,
  listComments,
  patchComment,
  replaceComment,
} from './comments.validation.js'

export const commentsRouter = createRouter(
  [
    defineRoute({
      method: 'get',
      path: '/',
      access: 'owner',
      params: commentsParams,
      query: listComments,
      response: comment.array(),
      meta: listMeta,
      handler: comments.list,
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'owner',
      params: commentsParams,
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
      access: 'owner',
      params: commentParams,
      response: comment,
      etag: true,
      handler: comments.get,
    }),
    defineRoute({
      method: 'put',
      path: '/:id',
      access: 'owner',
      params: commentParams,
      body: replaceComment,
      response: comment,
      etag: true,
      handler: comments.replace,
    }),
    defineRoute({
      method: 'patch',
      path: '/:id',
      access: 'owner',
      params: commentParams,
      body: patchComment,
      response: comment,
      etag: true,
      errors: ['conflict'],
      handler: comments.patch,
    }),
    defineRoute({
      method: 'delete',
      path: '/:id',
      access: 'owner',
      params: commentParams,
      etag: true,
      handler: comments.remove,
    }),
  ],
  { model: CommentModel },
)
