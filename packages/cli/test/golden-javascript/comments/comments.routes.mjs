import { createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import * as comments from './comments.controller.mjs'
import { CommentModel } from './comments.model.mjs'
import {
  comment,
  commentParams,
  commentsParams,
  createComment,
  listComments,
  patchComment,
  replaceComment,
} from './comments.validation.mjs'

export const commentsRouter = createRouter(
  [
    get(
      '/',
      { params: commentsParams, query: listComments, response: comment.array(), meta: listMeta },
      comments.list,
    ),
    post(
      '/',
      {
        params: commentsParams,
        body: createComment,
        response: comment,
        status: 201,
        etag: true,
        idempotent: true,
      },
      comments.create,
    ),
    get('/:id', { response: comment, etag: true }, comments.get),
    put('/:id', { body: replaceComment, response: comment, etag: true }, comments.replace),
    patch(
      '/:id',
      { body: patchComment, response: comment, etag: true, errors: ['conflict'] },
      comments.patch,
    ),
    del('/:id', { etag: true }, comments.remove),
    post('/:id/restore', { response: comment, etag: true }, comments.restore),
  ],
  { access: 'owner', references: { post: 'owner' }, params: commentParams, model: CommentModel },
)
