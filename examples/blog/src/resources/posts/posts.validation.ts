import { defineListQuery, toOutputSchema, toPatchSchema } from '@create-api/core'
import { z } from 'zod'

/** What a client sends to create a post. */
export const createPost = z.strictObject({
  title: z.string().trim().min(1).max(200),
  body: z.string().min(1).max(10_000),
  published: z.boolean().default(false),
  status: z.enum(['draft', 'published']),
  slug: z.string().trim().min(1).max(200),
  tags: z.array(z.string().trim().min(1).max(200)).max(100).default([]),
})

/** What a client sends to replace a post: PUT is complete, so an absent optional field goes. */
export const replacePost = createPost

/** What a client sends to change a post: JSON Merge Patch, so null removes an optional field. */
export const patchPost = toPatchSchema(createPost)

/** What a client reads: the fields above with id, createdAt and updatedAt. */
export const post = toOutputSchema(createPost)

/** What a list can be filtered and sorted by; every field here has an index in the model. */
export const listPosts = defineListQuery(post, {
  filters: ['title', 'published', 'status', 'slug', 'tags', 'createdAt'],
  sort: ['createdAt', 'title'],
})

export type CreatePost = z.output<typeof createPost>
export type ReplacePost = z.output<typeof replacePost>
export type PatchPost = z.output<typeof patchPost>
export type ListPosts = z.output<typeof listPosts>
