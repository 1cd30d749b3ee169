import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a comment. */
export const createComment = z.strictObject({
  body: z.string().min(1).max(10_000),
  category: objectId.optional(),
})

/** What a client sends to replace a comment: PUT replaces the document, so omitted optional fields are removed. */
export const replaceComment = createComment

/** What a client sends to change a comment: JSON Merge Patch, where null removes an optional field. */
export const patchComment = toPatchSchema(createComment)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const comment = toOutputSchema(createComment)

/** Filters and sort fields of the list; each has an index in the model. */
export const listComments = defineListQuery(comment, {
  filters: ['category', 'createdAt'],
  sort: ['createdAt'],
})

/** Path parameters of the list. */
export const commentsParams = z.strictObject({ org: objectId, postSlug: z.string() })

/** Path parameters of one comment. */
export const commentParams = commentsParams.extend({ id: objectId })

export type CreateComment = z.output<typeof createComment>
export type ReplaceComment = z.output<typeof replaceComment>
export type PatchComment = z.output<typeof patchComment>
export type CommentOutput = z.output<typeof comment>
export type ListComments = z.output<typeof listComments>
export type CommentsParams = z.output<typeof commentsParams>
export type CommentParams = z.output<typeof commentParams>
