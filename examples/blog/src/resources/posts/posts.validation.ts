import {
  defineListQuery,
  defineView,
  objectId,
  toOutputSchema,
  toPatchSchema,
} from '@create-api/core/resource'
import { z } from 'zod'
import { author } from '../authors/authors.validation.js'

/** What a client sends to create a post. */
export const createPost = z.strictObject({
  title: z.string().max(200).trim().min(1),
  slug: z.string().max(200).trim().min(1),
  body: z.string().min(1).max(10_000),
  status: z.enum(['draft', 'published']),
  tags: z.array(z.string().max(200).trim().min(1)).max(100).default([]),
  author: objectId,
})

/** What a client sends to replace a post: PUT replaces the document, so omitted optional fields are removed. */
export const replacePost = createPost

/** What a client sends to change a post: JSON Merge Patch, where null removes an optional field. */
export const patchPost = toPatchSchema(createPost)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const post = toOutputSchema(createPost)

/** What a client can choose to see: some fields only, and the author beside the post. */
export const postView = defineView(post, {
  fields: ['title', 'slug', 'status', 'tags', 'author', 'createdAt'],
  include: { author: { response: author, access: 'owner' } },
})

/** Filters and sort fields of the list; each has an index in the model. */
export const listPosts = defineListQuery(post, {
  filters: ['title', 'slug', 'status', 'tags', 'author', 'createdAt'],
  sort: ['createdAt', 'title'],
  search: ['title', 'body'],
  view: postView,
})

export type CreatePost = z.output<typeof createPost>
export type ReplacePost = z.output<typeof replacePost>
export type PatchPost = z.output<typeof patchPost>
export type PostOutput = z.output<typeof post>
export type ListPosts = z.output<typeof listPosts>
export type ViewPost = z.output<typeof postView.query>
export type ViewedPost = z.output<typeof postView.response>
