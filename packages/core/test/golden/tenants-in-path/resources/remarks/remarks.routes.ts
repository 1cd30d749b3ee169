import { all, any, createRouter, del, get, patch, post, put } from '@create-api/core'
import { listMeta } from '@create-api/core/resource'
import { member } from '@create-api/core/tenants'
import * as remarks from './remarks.controller.js'
import { RemarkModel } from './remarks.model.js'
import {
  createRemark,
  listRemarks,
  patchRemark,
  remark,
  remarkParams,
  remarksParams,
  replaceRemark,
} from './remarks.validation.js'

export const remarksRouter = createRouter(
  [
    get(
      '/',
      {
        access: member,
        params: remarksParams,
        query: listRemarks,
        response: remark.array(),
        meta: listMeta,
      },
      remarks.list,
    ),
    post(
      '/',
      {
        access: member,
        params: remarksParams,
        body: createRemark,
        response: remark,
        status: 201,
        etag: true,
        idempotent: true,
      },
      remarks.create,
    ),
    get('/:id', { access: member, response: remark, etag: true }, remarks.get),
    put(
      '/:id',
      {
        access: all(member, any('owner', 'admin')),
        body: replaceRemark,
        response: remark,
        etag: true,
      },
      remarks.replace,
    ),
    patch(
      '/:id',
      {
        access: all(member, 'owner'),
        body: patchRemark,
        response: remark,
        etag: true,
        errors: ['conflict'],
      },
      remarks.patch,
    ),
    del('/:id', { access: all(member, 'admin'), etag: true }, remarks.remove),
  ],
  { references: { note: member }, params: remarkParams, model: RemarkModel },
)
