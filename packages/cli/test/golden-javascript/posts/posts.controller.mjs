import { success } from '@create-api/core'
import { sendList } from '@create-api/core/exports'
import { live } from '@create-api/core/live'
import { parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './posts.service.mjs'

/**
 * @import { ApiRequest, ApiResponse } from '@create-api/core'
 * @import {
 *   CreatePost,
 *   ListPosts,
 *   PatchPost,
 *   PostOutput,
 *   PostParams,
 *   ReplacePost,
 * } from './posts.validation.mjs'
 */

/**
 * @param {ApiRequest<{ query: ListPosts }>} req
 * @param {ApiResponse<PostOutput[]>} res
 * @returns {Promise<void>}
 */
export async function list(req, res) {
  await sendList(res, req.valid.query, (query) => service.list(query, { scope: req.scope }))
}

export const changes = live(service.list)

/**
 * @param {ApiRequest<{ params: PostParams }>} req
 * @param {ApiResponse<PostOutput>} res
 * @returns {Promise<void>}
 */
export async function get(req, res) {
  const { params } = req.valid
  success(res, await service.get(params.slug, { scope: req.scope }))
}

/**
 * @param {ApiRequest<{ body: CreatePost }>} req
 * @param {ApiResponse<PostOutput>} res
 * @returns {Promise<void>}
 */
export async function create(req, res) {
  const { references } = req
  const post = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, post, post.slug), post)
}

/**
 * @param {ApiRequest<{ params: PostParams; body: ReplacePost }>} req
 * @param {ApiResponse<PostOutput>} res
 * @returns {Promise<void>}
 */
export async function replace(req, res) {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.slug, body, options))
}

/**
 * @param {ApiRequest<{ params: PostParams; body: PatchPost }>} req
 * @param {ApiResponse<PostOutput>} res
 * @returns {Promise<void>}
 */
export async function patch(req, res) {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.slug, body, options))
}

/**
 * @param {ApiRequest<{ params: PostParams }>} req
 * @param {ApiResponse} res
 * @returns {Promise<void>}
 */
export async function remove(req, res) {
  const { params } = req.valid
  await service.remove(params.slug, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}
