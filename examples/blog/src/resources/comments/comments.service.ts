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
import { PostModel } from '../posts/posts.model.js'
import { type Comment, CommentModel } from './comments.model.js'
import {
  type CreateComment,
  type ListComments,
  patchComment,
  type PatchComment,
  replaceComment,
  type ReplaceComment,
} from './comments.validation.js'

export function list(query: ListComments, options: ReadOptions): Promise<Page<Comment>> {
  return findPage(CommentModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Comment> {
  return findDocument(CommentModel, { _id: id }, options)
}

export function create(input: CreateComment, options: CreateOptions): Promise<Comment> {
  return createDocument(CommentModel, input, options)
}

export function replace(
  id: string,
  input: ReplaceComment,
  options: ChangeOptions,
): Promise<Comment> {
  return replaceDocument(CommentModel, { _id: id }, { ...options, schema: replaceComment, input })
}

export function patch(id: string, input: PatchComment, options: ChangeOptions): Promise<Comment> {
  return patchDocument(CommentModel, { _id: id }, { ...options, schema: patchComment, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(CommentModel, { _id: id }, options)
}

/** Returns the id of the post that the comments belong to; the response is a 404 without one that the caller can reach. */
export async function findPostId(id: string, { scope }: ReadOptions): Promise<string> {
  const post = await findDocument(PostModel, { _id: id }, { scope, query: { fields: [] } })
  return String(post._id)
}
