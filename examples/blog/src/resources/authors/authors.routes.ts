import { createRouter, del, get, patch, post, put } from '@create-api/core'
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
    get('/', { query: listAuthors, response: author.array(), meta: listMeta }, authors.list),
    post(
      '/',
      {
        body: createAuthor,
        response: author,
        status: 201,
        etag: true,
        idempotent: true,
      },
      authors.create,
    ),
    get('/:id', { response: author, etag: true }, authors.get),
    put('/:id', { body: replaceAuthor, response: author, etag: true }, authors.replace),
    patch(
      '/:id',
      { body: patchAuthor, response: author, etag: true, errors: ['conflict'] },
      authors.patch,
    ),
    del('/:id', { etag: true }, authors.remove),
  ],
  { access: 'owner', params, model: AuthorModel },
)
