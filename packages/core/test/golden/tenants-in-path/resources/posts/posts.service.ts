import {
  type ChangeOptions,
  createDocument,
  type CreateOptions,
  deleteDocument,
  type DeleteOptions,
  findDocument,
  findPage,
  type Page,
  patchDocument,
  type ReadOptions,
  replaceDocument,
} from '@create-api/core/resource'
import { type Post, PostModel } from './posts.model.js'
import {
  type CreatePost,
  type ListPosts,
  patchPost,
  type PatchPost,
  replacePost,
  type ReplacePost,
} from './posts.validation.js'

export function list(query: ListPosts, options: ReadOptions): Promise<Page<Post>> {
  return findPage(PostModel, query, options)
}

export function get(slug: string, options: ReadOptions): Promise<Post> {
  return findDocument(PostModel, { slug }, options)
}

export function create(input: CreatePost, options: CreateOptions): Promise<Post> {
  return createDocument(PostModel, input, options)
}

export function replace(slug: string, input: ReplacePost, options: ChangeOptions): Promise<Post> {
  return replaceDocument(PostModel, { slug }, { ...options, schema: replacePost, input })
}

export function patch(slug: string, input: PatchPost, options: ChangeOptions): Promise<Post> {
  return patchDocument(PostModel, { slug }, { ...options, schema: patchPost, input })
}

export function remove(slug: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(PostModel, { slug }, options)
}
