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

export function get(id: string, options: ReadOptions): Promise<Post> {
  return findDocument(PostModel, { _id: id }, options)
}

export function create(input: CreatePost, options: CreateOptions): Promise<Post> {
  return createDocument(PostModel, input, options)
}

export function replace(id: string, input: ReplacePost, options: ChangeOptions): Promise<Post> {
  return replaceDocument(PostModel, { _id: id }, { ...options, schema: replacePost, input })
}

export function patch(id: string, input: PatchPost, options: ChangeOptions): Promise<Post> {
  return patchDocument(PostModel, { _id: id }, { ...options, schema: patchPost, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(PostModel, { _id: id }, options)
}
