import { createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as categories from './categories.controller.js'
import { CategoryModel } from './categories.model.js'
import {
  categoriesParams,
  category,
  categoryParams,
  createCategory,
  listCategories,
  patchCategory,
  replaceCategory,
} from './categories.validation.js'

export const categoriesRouter = createRouter(
  [
    get(
      '/',
      {
        params: categoriesParams,
        query: listCategories,
        response: category.array(),
        meta: listMeta,
      },
      categories.list,
    ),
    post(
      '/',
      {
        params: categoriesParams,
        body: createCategory,
        response: category,
        status: 201,
        etag: true,
        idempotent: true,
        errors: ['duplicate'],
      },
      categories.create,
    ),
    get('/:id', { response: category, etag: true }, categories.get),
    put(
      '/:id',
      { body: replaceCategory, response: category, etag: true, errors: ['duplicate'] },
      categories.replace,
    ),
    patch(
      '/:id',
      { body: patchCategory, response: category, etag: true, errors: ['conflict', 'duplicate'] },
      categories.patch,
    ),
    del('/:id', { etag: true }, categories.remove),
  ],
  { access: member, params: categoryParams, model: CategoryModel },
)
