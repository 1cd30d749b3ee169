import { createRouter, defineRoute } from '@create-api/core'
import { idParams as params, listMeta } from '@create-api/core/resource'
import * as authors from './authors.controller.js'
import { AuthorModel } from './authors.model.js'
import {
  author,
  createAuthor,
  listAuthors,
  patchAuthor,
  replaceAuthor,
} from './authors.validation.js'

export const authorsRouter = createRouter(
  [
    defineRoute({
      method: 'get',
      path: '/',
      access: 'owner',
      query: listAuthors,
      response: author.array(),
      meta: listMeta,
      handler: authors.list,
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'owner',
      body: createAuthor,
      response: author,
      status: 201,
      etag: true,
      idempotent: true,
      handler: authors.create,
    }),
    defineRoute({
      method: 'get',
      path: '/:id',
      access: 'owner',
      params,
      response: author,
      etag: true,
      handler: authors.get,
    }),
    defineRoute({
      method: 'put',
      path: '/:id',
      access: 'owner',
      params,
      body: replaceAuthor,
      response: author,
      etag: true,
      handler: authors.replace,
    }),
    defineRoute({
      method: 'patch',
      path: '/:id',
      access: 'owner',
      params,
      body: patchAuthor,
      response: author,
      etag: true,
      errors: ['conflict'],
      handler: authors.patch,
    }),
    defineRoute({
      method: 'delete',
      path: '/:id',
      access: 'owner',
      params,
      etag: true,
      handler: authors.remove,
    }),
  ],
  { model: AuthorModel },
)
