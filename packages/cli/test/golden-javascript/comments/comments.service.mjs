import {
  createDocument,
  deleteDocument,
  findDocument,
  findPage,
  patchDocument,
  replaceDocument,
  restoreDocument,
} from '@create-api/core/resource'
import { PostModel } from '../posts/posts.model.mjs'
import { CommentModel } from './comments.model.mjs'
import { patchComment, replaceComment } from './comments.validation.mjs'

/**
 * @import {
 *   ChangeOptions,
 *   CreateOptions,
 *   DeleteOptions,
 *   Page,
 *   ReadOptions,
 * } from '@create-api/core/resource'
 * @import { Comment } from './comments.model.mjs'
 * @import {
 *   CreateComment,
 *   ListComments,
 *   PatchComment,
 *   ReplaceComment,
 * } from './comments.validation.mjs'
 */

/**
 * @param {ListComments} query
 * @param {ReadOptions} options
 * @returns {Promise<Page<Comment>>}
 */
export function list(query, options) {
  return findPage(CommentModel, query, options)
}

/**
 * @param {string} id
 * @param {ReadOptions} options
 * @returns {Promise<Comment>}
 */
export function get(id, options) {
  return findDocument(CommentModel, { _id: id }, options)
}

/**
 * @param {CreateComment} input
 * @param {CreateOptions} options
 * @returns {Promise<Comment>}
 */
export function create(input, options) {
  return createDocument(CommentModel, input, options)
}

/**
 * @param {string} id
 * @param {ReplaceComment} input
 * @param {ChangeOptions} options
 * @returns {Promise<Comment>}
 */
export function replace(id, input, options) {
  return replaceDocument(CommentModel, { _id: id }, { ...options, schema: replaceComment, input })
}

/**
 * @param {string} id
 * @param {PatchComment} input
 * @param {ChangeOptions} options
 * @returns {Promise<Comment>}
 */
export function patch(id, input, options) {
  return patchDocument(CommentModel, { _id: id }, { ...options, schema: patchComment, input })
}

/**
 * @param {string} id
 * @param {DeleteOptions} options
 * @returns {Promise<void>}
 */
export function remove(id, options) {
  return deleteDocument(CommentModel, { _id: id }, options)
}

/**
 * @param {string} id
 * @param {ReadOptions} options
 * @returns {Promise<Comment>}
 */
export function restore(id, options) {
  return restoreDocument(CommentModel, { _id: id }, options)
}

/**
 * Returns the id of the post that the comments belong to; the response is a 404 without one that the caller can reach.
 *
 * @param {string} slug
 * @param {ReadOptions} options
 * @returns {Promise<string>}
 */
export async function findPostId(slug, { scope }) {
  const post = await findDocument(PostModel, { slug }, { scope, query: { fields: [] } })
  return String(post._id)
}
