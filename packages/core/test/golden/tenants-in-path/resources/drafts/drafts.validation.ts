import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a draft. */
export const createDraft = z.strictObject({
  title: z.string().max(200).trim().min(1),
  follows: objectId.optional(),
})

/** What a client sends to replace a draft: PUT replaces the document, so omitted optional fields are removed. */
export const replaceDraft = createDraft

/** What a client sends to change a draft: JSON Merge Patch, where null removes an optional field. */
export const patchDraft = toPatchSchema(createDraft)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const draft = toOutputSchema(createDraft)

/** Filters and sort fields of the list; each has an index in the model. */
export const listDrafts = defineListQuery(draft, {
  filters: ['title', 'follows', 'createdAt'],
  sort: ['createdAt', 'title'],
})

/** Path parameters of the list. */
export const draftsParams = z.strictObject({ org: objectId })

/** Path parameters of one draft. */
export const draftParams = draftsParams.extend({ id: objectId })

export type CreateDraft = z.output<typeof createDraft>
export type ReplaceDraft = z.output<typeof replaceDraft>
export type PatchDraft = z.output<typeof patchDraft>
export type DraftOutput = z.output<typeof draft>
export type ListDrafts = z.output<typeof listDrafts>
export type DraftParams = z.output<typeof draftParams>
