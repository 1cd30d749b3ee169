import { defineListQuery, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create an author. */
export const createAuthor = z.strictObject({
  name: z.string().max(200).trim().min(1),
  bio: z.string().max(10_000).optional(),
})

/** What a client sends to replace an author: PUT replaces the document, so omitted optional fields are removed. */
export const replaceAuthor = createAuthor

/** What a client sends to change an author: JSON Merge Patch, where null removes an optional field. */
export const patchAuthor = toPatchSchema(createAuthor)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const author = toOutputSchema(createAuthor)

/** Filters and sort fields of the list; each has an index in the model. */
export const listAuthors = defineListQuery(author, {
  filters: ['name', 'createdAt'],
  sort: ['createdAt', 'name'],
})

export type CreateAuthor = z.output<typeof createAuthor>
export type ReplaceAuthor = z.output<typeof replaceAuthor>
export type PatchAuthor = z.output<typeof patchAuthor>
export type AuthorOutput = z.output<typeof author>
export type ListAuthors = z.output<typeof listAuthors>
