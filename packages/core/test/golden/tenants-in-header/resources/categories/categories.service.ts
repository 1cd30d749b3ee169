import { type Scope } from '@create-api/core'
import {
  createInScope,
  findPage,
  type IfMatch,
  inScope,
  type Page,
  patchDocument,
  rejectMiss,
  replaceDocument,
  requireFound,
} from '@create-api/core/resource'
import { type Category, CategoryModel } from './categories.model.js'
import {
  createCategory,
  type CreateCategory,
  type ListCategories,
  type PatchCategory,
  replaceCategory,
  type ReplaceCategory,
} from './categories.validation.js'

/** Identifies one of the categories that a caller can reach. */
export interface CategoryKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListCategories): Promise<Page<Category>> {
  return findPage(CategoryModel, scope, query)
}

export async function get({ scope, id }: CategoryKey): Promise<Category> {
  return requireFound(await CategoryModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(scope: Scope, input: CreateCategory): Promise<Category> {
  return createInScope(CategoryModel, scope, input)
}

export async function replace(
  { scope, id }: CategoryKey,
  input: ReplaceCategory,
  match: IfMatch,
): Promise<Category> {
  return replaceDocument(
    CategoryModel,
    { _id: id },
    { schema: replaceCategory, input, match, scope },
  )
}

export async function patch(
  { scope, id }: CategoryKey,
  input: PatchCategory,
  match: IfMatch,
): Promise<Category> {
  return patchDocument(
    CategoryModel,
    { _id: id },
    { schema: createCategory, patch: input, match, scope },
  )
}

export async function remove({ scope, id }: CategoryKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const category = await CategoryModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!category) await rejectMiss(CategoryModel, filter, match)
}
