import { createRouter, defineRoute, idParams as params, listMeta } from '@create-api/core'
import * as posts from './posts.controller.js'
import { PostModel } from './posts.model.js'
import { createPost, listPosts, patchPost, post, replacePost } from './posts.validation.js'

export const postsRouter = createRouter(
  [
    defineRoute({
      method: 'get',
      path: '/',
      access: 'owner',
      query: listPosts,
      response: post.array(),
      meta: listMeta,
      handler: posts.list,
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'owner',
      body: createPost,
      response: post,
      status: 201,
      etag: true,
      idempotent: true,
      handler: posts.create,
    }),
    defineRoute({
      method: 'get',
      path: '/:id',
      access: 'owner',
      params,
      response: post,
      etag: true,
      handler: posts.get,
    }),
    defineRoute({
      method: 'put',
      path: '/:id',
      access: 'owner',
      params,
      body: replacePost,
      response: post,
      etag: true,
      handler: posts.replace,
    }),
    defineRoute({
      method: 'patch',
      path: '/:id',
      access: 'owner',
      params,
      body: patchPost,
      response: post,
      etag: true,
      errors: ['conflict'],
      handler: posts.patch,
    }),
    defineRoute({
      method: 'delete',
      path: '/:id',
      access: 'owner',
      params,
      etag: true,
      handler: posts.remove,
    }),
  ],
  { model: PostModel },
)
