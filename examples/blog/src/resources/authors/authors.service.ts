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
import { type Author, AuthorModel } from './authors.model.js'
import {
  type CreateAuthor,
  type ListAuthors,
  patchAuthor,
  type PatchAuthor,
  replaceAuthor,
  type ReplaceAuthor,
} from './authors.validation.js'

export function list(query: ListAuthors, options: ReadOptions): Promise<Page<Author>> {
  return findPage(AuthorModel, query, options)
}

export function get(id: string, options: ReadOptions): Promise<Author> {
  return findDocument(AuthorModel, { _id: id }, options)
}

export function create(input: CreateAuthor, options: CreateOptions): Promise<Author> {
  return createDocument(AuthorModel, input, options)
}

export function replace(id: string, input: ReplaceAuthor, options: ChangeOptions): Promise<Author> {
  return replaceDocument(AuthorModel, { _id: id }, { ...options, schema: replaceAuthor, input })
}

export function patch(id: string, input: PatchAuthor, options: ChangeOptions): Promise<Author> {
  return patchDocument(AuthorModel, { _id: id }, { ...options, schema: patchAuthor, input })
}

export function remove(id: string, options: DeleteOptions): Promise<void> {
  return deleteDocument(AuthorModel, { _id: id }, options)
}
