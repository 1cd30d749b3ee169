import {
  createDocument,
  deleteDocument,
  findDocument,
  findPage,
  patchDocument,
  replaceDocument,
} from '@create-api/core/resource'
import { NoteModel } from './notes.model.mjs'
import { patchNote, replaceNote } from './notes.validation.mjs'

/**
 * @import {
 *   ChangeOptions,
 *   CreateOptions,
 *   DeleteOptions,
 *   Page,
 *   ReadOptions,
 * } from '@create-api/core/resource'
 * @import { Note } from './notes.model.mjs'
 * @import { CreateNote, ListNotes, PatchNote, ReplaceNote } from './notes.validation.mjs'
 */

/**
 * @param {ListNotes} query
 * @param {ReadOptions} options
 * @returns {Promise<Page<Note>>}
 */
export function list(query, options) {
  return findPage(NoteModel, query, options)
}

/**
 * @param {string} id
 * @param {ReadOptions} options
 * @returns {Promise<Note>}
 */
export function get(id, options) {
  return findDocument(NoteModel, { _id: id }, options)
}

/**
 * @param {CreateNote} input
 * @param {CreateOptions} options
 * @returns {Promise<Note>}
 */
export function create(input, options) {
  return createDocument(NoteModel, input, options)
}

/**
 * @param {string} id
 * @param {ReplaceNote} input
 * @param {ChangeOptions} options
 * @returns {Promise<Note>}
 */
export function replace(id, input, options) {
  return replaceDocument(NoteModel, { _id: id }, { ...options, schema: replaceNote, input })
}

/**
 * @param {string} id
 * @param {PatchNote} input
 * @param {ChangeOptions} options
 * @returns {Promise<Note>}
 */
export function patch(id, input, options) {
  return patchDocument(NoteModel, { _id: id }, { ...options, schema: patchNote, input })
}

/**
 * @param {string} id
 * @param {DeleteOptions} options
 * @returns {Promise<void>}
 */
export function remove(id, options) {
  return deleteDocument(NoteModel, { _id: id }, options)
}
