import {
  createDocument,
  deleteDocument,
  findDocument,
  findPage,
  patchDocument,
  replaceDocument,
} from '@create-api/core/resource'
import { PostModel } from './posts.model.mjs'
import { patchPost, replacePost } from './posts.validation.mjs'

/**
 * @import {
 *   ChangeOptions,
 *   CreateOptions,
 *   DeleteOptions,
 *   Page,
 *   ReadOptions,
 * } from '@create-api/core/resource'
 * @import { Post } from './posts.model.mjs'
 * @import { CreatePost, ListPosts, PatchPost, ReplacePost } from './posts.validation.mjs'
 */

/**
 * @param {ListPosts} query
 * @param {ReadOptions} options
 * @returns {Promise<Page<Post>>}
 */
export function list(query, options) {
  return findPage(PostModel, query, options)
}

/**
 * @param {string} slug
 * @param {ReadOptions} options
 * @returns {Promise<Post>}
 */
export function get(slug, options) {
  return findDocument(PostModel, { slug }, options)
}

/**
 * @param {CreatePost} input
 * @param {CreateOptions} options
 * @returns {Promise<Post>}
 */
export function create(input, options) {
  return createDocument(PostModel, input, options)
}

/**
 * @param {string} slug
 * @param {ReplacePost} input
 * @param {ChangeOptions} options
 * @returns {Promise<Post>}
 */
export function replace(slug, input, options) {
  return replaceDocument(PostModel, { slug }, { ...options, schema: replacePost, input })
}

/**
 * @param {string} slug
 * @param {PatchPost} input
 * @param {ChangeOptions} options
 * @returns {Promise<Post>}
 */
export function patch(slug, input, options) {
  return patchDocument(PostModel, { slug }, { ...options, schema: patchPost, input })
}

/**
 * @param {string} slug
 * @param {DeleteOptions} options
 * @returns {Promise<void>}
 */
export function remove(slug, options) {
  return deleteDocument(PostModel, { slug }, options)
}
