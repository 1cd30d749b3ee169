import { success } from '@create-api/core'
import { parseIfMatch, setCreated } from '@create-api/core/resource'
import * as service from './notes.service.mjs'

/**
 * @import { ApiRequest, ApiResponse } from '@create-api/core'
 * @import {
 *   CreateNote,
 *   ListNotes,
 *   NoteOutput,
 *   NoteParams,
 *   PatchNote,
 *   ReplaceNote,
 * } from './notes.validation.mjs'
 */

/**
 * @param {ApiRequest<{ query: ListNotes }>} req
 * @param {ApiResponse<NoteOutput[]>} res
 * @returns {Promise<void>}
 */
export async function list(req, res) {
  const page = await service.list(req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

/**
 * @param {ApiRequest<{ params: NoteParams }>} req
 * @param {ApiResponse<NoteOutput>} res
 * @returns {Promise<void>}
 */
export async function get(req, res) {
  const { params } = req.valid
  success(res, await service.get(params.id, { scope: req.scope }))
}

/**
 * @param {ApiRequest<{ body: CreateNote }>} req
 * @param {ApiResponse<NoteOutput>} res
 * @returns {Promise<void>}
 */
export async function create(req, res) {
  const { references } = req
  const note = await service.create(req.valid.body, { scope: req.scope, references })
  success(setCreated(res, note), note)
}

/**
 * @param {ApiRequest<{ params: NoteParams; body: ReplaceNote }>} req
 * @param {ApiResponse<NoteOutput>} res
 * @returns {Promise<void>}
 */
export async function replace(req, res) {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.replace(params.id, body, options))
}

/**
 * @param {ApiRequest<{ params: NoteParams; body: PatchNote }>} req
 * @param {ApiResponse<NoteOutput>} res
 * @returns {Promise<void>}
 */
export async function patch(req, res) {
  const { params, body } = req.valid
  const options = { scope: req.scope, match: parseIfMatch(req), references: req.references }
  success(res, await service.patch(params.id, body, options))
}

/**
 * @param {ApiRequest<{ params: NoteParams }>} req
 * @param {ApiResponse} res
 * @returns {Promise<void>}
 */
export async function remove(req, res) {
  const { params } = req.valid
  await service.remove(params.id, { scope: req.scope, match: parseIfMatch(req) })
  success(res)
}
