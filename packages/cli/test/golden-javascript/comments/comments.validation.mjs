import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a comment. */
export const createComment = z.strictObject({
  body: z.string().min(1).max(10_000),
})

/** What a client sends to replace a comment: PUT replaces the document, so omitted optional fields are removed. */
export const replaceComment = createComment

/** What a client sends to change a comment: JSON Merge Patch, where null removes an optional field. */
export const patchComment = toPatchSchema(createComment)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const comment = toOutputSchema(createComment)

/** Filters and sort fields of the list; each has an index in the model. */
export const listComments = defineListQuery(comment, {
  filters: ['createdAt'],
  sort: ['createdAt'],
})

/** Path parameters of the list. */
export const commentsParams = z.strictObject({ postSlug: z.string() })

/** Path parameters of one comment. */
export const commentParams = commentsParams.extend({ id: objectId })

/** @typedef {z.output<typeof createComment>} CreateComment */
/** @typedef {z.output<typeof replaceComment>} ReplaceComment */
/** @typedef {z.output<typeof patchComment>} PatchComment */
/** @typedef {z.output<typeof comment>} CommentOutput */
/** @typedef {z.output<typeof listComments>} ListComments */
/** @typedef {z.output<typeof commentsParams>} CommentsParams */
/** @typedef {z.output<typeof commentParams>} CommentParams */
