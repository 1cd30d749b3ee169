import { defineListQuery, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a post. */
export const createPost = z.strictObject({
  title: z.string().max(200).trim().min(1),
  text: z.string().max(10_000).optional(),
})

/** What a client sends to replace a post: PUT replaces the document, so omitted optional fields are removed. */
export const replacePost = createPost

/** What a client sends to change a post: JSON Merge Patch, where null removes an optional field. */
export const patchPost = toPatchSchema(createPost)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const post = toOutputSchema(createPost)

/** Filters and sort fields of the list; each has an index in the model. */
export const listPosts = defineListQuery(post, {
  filters: ['title', 'createdAt'],
  sort: ['createdAt', 'title'],
})

export type CreatePost = z.output<typeof createPost>
export type ReplacePost = z.output<typeof replacePost>
export type PatchPost = z.output<typeof patchPost>
export type PostOutput = z.output<typeof post>
export type ListPosts = z.output<typeof listPosts>
