import { any, createRouter, del, get, patch, post, put } from '@create-api/core'
import { idParams as params, listMeta } from '@create-api/core/resource'
import { editors } from '../../access.js'
import * as posts from './posts.controller.js'
import { PostModel } from './posts.model.js'
import {
  createPost,
  listPosts,
  patchPost,
  post as postSchema,
  replacePost,
} from './posts.validation.js'

export const postsRouter = createRouter(
  [
    get(
      '/',
      { access: 'public', query: listPosts, response: postSchema.array(), meta: listMeta },
      posts.list,
    ),
    post(
      '/',
      {
        access: 'user',
        body: createPost,
        response: postSchema,
        status: 201,
        etag: true,
        idempotent: true,
      },
      posts.create,
    ),
    get('/:id', { access: any('owner', 'admin'), response: postSchema, etag: true }, posts.get),
    put(
      '/:id',
      {
        access: editors,
        body: replacePost,
        response: postSchema,
        etag: true,
        errors: ['conflict'],
      },
      posts.replace,
    ),
    patch(
      '/:id',
      { access: 'owner', body: patchPost, response: postSchema, etag: true, errors: ['conflict'] },
      posts.patch,
    ),
    del('/:id', { access: 'admin', etag: true }, posts.remove),
  ],
  { params, model: PostModel },
)
