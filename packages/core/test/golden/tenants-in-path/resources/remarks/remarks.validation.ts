import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a remark. */
export const createRemark = z.strictObject({
  body: z.string().min(1).max(10_000),
})

/** What a client sends to replace a remark: PUT replaces the document, so omitted optional fields are removed. */
export const replaceRemark = createRemark

/** What a client sends to change a remark: JSON Merge Patch, where null removes an optional field. */
export const patchRemark = toPatchSchema(createRemark)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const remark = toOutputSchema(createRemark)

/** Filters and sort fields of the list; each has an index in the model. */
export const listRemarks = defineListQuery(remark, {
  filters: ['createdAt'],
  sort: ['createdAt'],
})

/** Path parameters of the list. */
export const remarksParams = z.strictObject({ org: objectId, noteId: objectId })

/** Path parameters of one remark. */
export const remarkParams = remarksParams.extend({ id: objectId })

export type CreateRemark = z.output<typeof createRemark>
export type ReplaceRemark = z.output<typeof replaceRemark>
export type PatchRemark = z.output<typeof patchRemark>
export type RemarkOutput = z.output<typeof remark>
export type ListRemarks = z.output<typeof listRemarks>
export type RemarksParams = z.output<typeof remarksParams>
export type RemarkParams = z.output<typeof remarkParams>
