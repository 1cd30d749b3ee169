import {
  findPage,
  type IfMatch,
  type Page,
  patchDocument,
  rejectMiss,
  requireFound,
  toReplacement,
} from '@create-api/core/resource'
import { type Author, AuthorModel } from './authors.model.js'
import {
  createAuthor,
  type CreateAuthor,
  type ListAuthors,
  type PatchAuthor,
  replaceAuthor,
  type ReplaceAuthor,
} from './authors.validation.js'

/** The authors a caller can access: part of every query. */
export interface AuthorScope {
  owner: string
}

/** Identifies one of them. */
export interface AuthorKey extends AuthorScope {
  _id: string
}

export function list(scope: AuthorScope, query: ListAuthors): Promise<Page<Author>> {
  return findPage(AuthorModel, scope, query)
}

export async function get(key: AuthorKey): Promise<Author> {
  return requireFound(await AuthorModel.findOne(key).lean())
}

export async function create(scope: AuthorScope, input: CreateAuthor): Promise<Author> {
  const author = await AuthorModel.create({ ...input, ...scope })
  return author.toObject()
}

export async function replace(
  key: AuthorKey,
  input: ReplaceAuthor,
  match: IfMatch,
): Promise<Author> {
  const changes = toReplacement(replaceAuthor, input)
  const author = await AuthorModel.findOneAndUpdate({ ...key, ...match }, changes, {
    returnDocument: 'after',
    runValidators: true,
  }).lean()
  return author ?? rejectMiss(AuthorModel, key, match)
}

export async function patch(key: AuthorKey, input: PatchAuthor, match: IfMatch): Promise<Author> {
  return patchDocument(AuthorModel, key, { schema: createAuthor, patch: input, match })
}

export async function remove(key: AuthorKey, match: IfMatch): Promise<void> {
  const author = await AuthorModel.findOneAndDelete({ ...key, ...match }).lean()
  if (!author) await rejectMiss(AuthorModel, key, match)
}
