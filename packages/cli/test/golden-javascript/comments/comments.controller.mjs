import { success } from '@create-api/core'
import { inScope, parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './comments.service.mjs'

/**
 * @import { ApiRequest, ApiResponse, Scope } from '@create-api/core'
 * @import {
 *   CommentOutput,
 *   CommentParams,
 *   CommentsParams,
 *   CreateComment,
 *   ListComments,
 *   PatchComment,
 *   ReplaceComment,
 * } from './comments.validation.mjs'
 */

/**
 * @param {ApiRequest<{ params: CommentsParams; query: ListComments }>} req
 * @param {ApiResponse<CommentOutput[]>} res
 * @returns {Promise<void>}
 */
export async function list(req, res) {
  const page = await service.list(req.valid.query, { scope: await toScope(req) })
  success(res, page.data, page.meta)
}

/**
 * @param {ApiRequest<{ params: CommentParams }>} req
 * @param {ApiResponse<CommentOutput>} res
 * @returns {Promise<void>}
 */
export async function get(req, res) {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: await toScope(req) }))
}

/**
 * @param {ApiRequest<{ params: CommentsParams; body: CreateComment }>} req
 * @param {ApiResponse<CommentOutput>} res
 * @returns {Promise<void>}
 */
export async function create(req, res) {
  const { references } = req
  const comment = await service.create(req.valid.body, { scope: await toScope(req), references })
  success(setCreated(res, comment), comment)
}

/**
 * @param {ApiRequest<{ params: CommentParams; body: ReplaceComment }>} req
 * @param {ApiResponse<CommentOutput>} res
 * @returns {Promise<void>}
 */
export async function replace(req, res) {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.replace(params.id, body, options))
}

/**
 * @param {ApiRequest<{ params: CommentParams; body: PatchComment }>} req
 * @param {ApiResponse<CommentOutput>} res
 * @returns {Promise<void>}
 */
export async function patch(req, res) {
  const { params, body } = req.valid
  const options = {
    scope: await toScope(req),
    match: parseIfMatch(req),
    references: req.references,
  }
  success(res, await service.patch(params.id, body, options))
}

/**
 * @param {ApiRequest<{ params: CommentParams }>} req
 * @param {ApiResponse} res
 * @returns {Promise<void>}
 */
export async function remove(req, res) {
  const { params } = req.valid
  await service.remove(params.id, { scope: await toScope(req), match: parseIfMatch(req) })
  success(res)
}

/**
 * @param {ApiRequest<{ params: CommentParams }>} req
 * @param {ApiResponse<CommentOutput>} res
 * @returns {Promise<void>}
 */
export async function restore(req, res) {
  const { params } = req.valid
  success(res, await service.restore(params.id, { scope: await toScope(req) }))
}

/**
 * The comments exist only under an existing post.
 *
 * @param {ApiRequest<{ params: CommentsParams }>} req
 * @returns {Promise<Scope>}
 */
async function toScope(req) {
  const { postSlug } = req.valid.params
  const post = await service.findPostId(postSlug, { scope: req.references['post'] })
  return inScope(req.scope, { post })
}
