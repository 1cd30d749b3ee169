import { createRouter, del, get, patch, post, put } from '@create-api/core'
import { withBulk } from '@create-api/core/bulk'
import { csv, ndjson } from '@create-api/core/exports'
import { listMeta } from '@create-api/core/resource'
import * as posts from './posts.controller.mjs'
import { PostModel } from './posts.model.mjs'
import {
  createPost,
  listPosts,
  patchPost,
  post as postSchema,
  postParams,
  replacePost,
} from './posts.validation.mjs'

export const postsRouter = withBulk(
  createRouter(
    [
      get(
        '/',
        {
          query: listPosts,
          response: postSchema.array(),
          meta: listMeta,
          formats: [csv(), ndjson()],
          live: posts.changes,
        },
        posts.list,
      ),
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
    { access: 'owner', params: postParams, model: PostModel },
  ),
)
