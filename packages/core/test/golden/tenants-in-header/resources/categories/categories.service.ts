import {
  type ChangeOptions,
  createDocument,
  type CreateOptions,
  deleteDocument,
  type DeleteOptions,
  findDocument,
  findPage,
  type Page,
  patchDocument,
  type ReadOptions,
  replaceDocument,
} from '@create-api/core/resource'
import { type Category, CategoryModel } from './categories.model.js'
import {
  type CreateCategory,
  type ListCategories,
  patchCategory,
  type PatchCategory,
  replaceCategory,
  type ReplaceCategory,
} from './categories.validation.js'

export function list(query: ListCategories, options: ReadOptions): Promise<Page<Category>> {
  return findPage(CategoryModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Category> {
  return findDocument(CategoryModel, { _id: id }, options)
}

export function create(input: CreateCategory, options: CreateOptions): Promise<Category> {
  return createDocument(CategoryModel, input, options)
}

export function replace(
  id: string,
  input: ReplaceCategory,
  options: ChangeOptions,
): Promise<Category> {
  return replaceDocument(CategoryModel, { _id: id }, { ...options, schema: replaceCategory, input })
}

export function patch(id: string, input: PatchCategory, options: ChangeOptions): Promise<Category> {
  return patchDocument(CategoryModel, { _id: id }, { ...options, schema: patchCategory, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(CategoryModel, { _id: id }, options)
}
