import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a part. */
export const createPart = z.strictObject({
  body: z.string().min(1).max(10_000),
})

/** What a client sends to replace a part: PUT replaces the document, so omitted optional fields are removed. */
export const replacePart = createPart

/** What a client sends to change a part: JSON Merge Patch, where null removes an optional field. */
export const patchPart = toPatchSchema(createPart)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const part = toOutputSchema(createPart)

/** Filters and sort fields of the list; each has an index in the model. */
export const listParts = defineListQuery(part, {
  filters: ['createdAt'],
  sort: ['createdAt'],
})

/** Path parameters of the list. */
export const partsParams = z.strictObject({ org: objectId, draftId: objectId })

/** Path parameters of one part. */
export const partParams = partsParams.extend({ id: objectId })

export type CreatePart = z.output<typeof createPart>
export type ReplacePart = z.output<typeof replacePart>
export type PatchPart = z.output<typeof patchPart>
export type PartOutput = z.output<typeof part>
export type ListParts = z.output<typeof listParts>
export type PartsParams = z.output<typeof partsParams>
export type PartParams = z.output<typeof partParams>
