import { createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as posts from './posts.controller.js'
import { PostModel } from './posts.model.js'
import {
  createPost,
  listPosts,
  patchPost,
  post as postSchema,
  postParams,
  replacePost,
} from './posts.validation.js'

export const postsRouter = createRouter(
  [
    get('/', { query: listPosts, response: postSchema.array(), meta: listMeta }, posts.list),
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
    get('/:slug', { response: postSchema, etag: true }, posts.get),
    put(
      '/:slug',
      { body: replacePost, response: postSchema, etag: true, errors: ['duplicate'] },
      posts.replace,
    ),
    patch(
      '/:slug',
      { body: patchPost, response: postSchema, etag: true, errors: ['conflict', 'duplicate'] },
      posts.patch,
    ),
    del('/:slug', { etag: true }, posts.remove),
  ],
  { access: member, references: { category: member }, params: postParams, model: PostModel },
)
