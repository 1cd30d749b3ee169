import { defineListQuery, objectId, toOutputSchema, toPatchSchema } from '@create-api/core/resource'
import { z } from 'zod'

/** What a client sends to create a category. */
export const createCategory = z.strictObject({
  name: z.string().max(200).trim().min(1),
})

/** What a client sends to replace a category: PUT replaces the document, so omitted optional fields are removed. */
export const replaceCategory = createCategory

/** What a client sends to change a category: JSON Merge Patch, where null removes an optional field. */
export const patchCategory = toPatchSchema(createCategory)

/** What a client receives: the fields above and id, createdAt and updatedAt. */
export const category = toOutputSchema(createCategory)

/** Filters and sort fields of the list; each has an index in the model. */
export const listCategories = defineListQuery(category, {
  filters: ['name', 'createdAt'],
  sort: ['createdAt'],
})

/** Path parameters of the list. */
export const categoriesParams = z.strictObject({ org: objectId })

/** Path parameters of one category. */
export const categoryParams = categoriesParams.extend({ id: objectId })

export type CreateCategory = z.output<typeof createCategory>
export type ReplaceCategory = z.output<typeof replaceCategory>
export type PatchCategory = z.output<typeof patchCategory>
export type CategoryOutput = z.output<typeof category>
export type ListCategories = z.output<typeof listCategories>
export type CategoryParams = z.output<typeof categoryParams>
