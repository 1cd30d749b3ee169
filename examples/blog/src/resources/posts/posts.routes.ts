import { createRouter, defineRoute } from '@create-api/core'
import { idParams as params, listMeta } from '@create-api/core/resource'
import * as posts from './posts.controller.js'
import { PostModel } from './posts.model.js'
import {
  createPost,
  listPosts,
  patchPost,
  post,
  postView,
  replacePost,
} from './posts.validation.js'

export const postsRouter = createRouter(
  [
    defineRoute({
      method: 'get',
      path: '/',
      access: 'owner',
      query: listPosts,
      response: postView.response.array(),
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
      errors: ['duplicate'],
      handler: posts.create,
    }),
    defineRoute({
      method: 'get',
      path: '/:id',
      access: 'owner',
      params,
      query: postView.query,
      response: postView.response,
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
      errors: ['duplicate'],
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
      errors: ['conflict', 'duplicate'],
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
