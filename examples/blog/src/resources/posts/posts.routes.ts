import { createRouter, del, get, patch, post, put } from '@create-api/core'
import { idParams as params, listMeta } from '@create-api/core/resource'
import * as posts from './posts.controller.js'
import { PostModel } from './posts.model.js'
import {
  createPost,
  listPosts,
  patchPost,
  post as postSchema,
  postView,
  replacePost,
} from './posts.validation.js'

export const postsRouter = createRouter(
  [
    get('/', { query: listPosts, response: postView.response.array(), meta: listMeta }, posts.list),
    post(
      '/',
      {
        body: createPost,
        response: postSchema,
        status: 201,
        etag: true,
        idempotent: true,
        errors: ['duplicate'],
      },
      posts.create,
    ),
    get('/:id', { query: postView.query, response: postView.response, etag: true }, posts.get),
    put(
      '/:id',
      { body: replacePost, response: postSchema, etag: true, errors: ['duplicate'] },
      posts.replace,
    ),
    patch(
      '/:id',
      { body: patchPost, response: postSchema, etag: true, errors: ['conflict', 'duplicate'] },
      posts.patch,
    ),
    del('/:id', { etag: true }, posts.remove),
  ],
  { access: 'owner', references: { author: 'owner' }, params, model: PostModel },
)
