import {
  type ChangeOptions,
  createDocument,
  type CreateOptions,
  deleteDocument,
  type DeleteOptions,
  findDocument,
  findPage,
  type Included,
  includeReferences,
  type Page,
  patchDocument,
  type ReadOptions,
  replaceDocument,
} from '@create-api/core/resource'
import { CommentModel } from '../comments/comments.model.js'
import { type Post, PostModel } from './posts.model.js'
import {
  type CreatePost,
  type ListPosts,
  patchPost,
  type PatchPost,
  replacePost,
  type ReplacePost,
  type ViewPost,
} from './posts.validation.js'

export async function list(query: ListPosts, options: ReadOptions): Promise<Page<Included<Post>>> {
  const { data, meta } = await findPage(PostModel, query, options)
  return { data: await includeReferences(PostModel, data, { query }), meta }
}

export async function get(
  id: string,
  query: ViewPost,
  options: ReadOptions,
): Promise<Included<Post>> {
  const post = await findDocument(PostModel, { _id: id }, { ...options, query })
  return includeReferences(PostModel, post, { query })
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

export async function remove(id: string, options: DeleteOptions): Promise<void> {
  await deleteDocument(PostModel, { _id: id }, options)
  // Without the post its comments could not be reached.
  await CommentModel.deleteMany({ post: id })
}
