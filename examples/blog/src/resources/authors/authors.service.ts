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
import { type Author, AuthorModel } from './authors.model.js'
import {
  createAuthor,
  type CreateAuthor,
  type ListAuthors,
  type PatchAuthor,
  replaceAuthor,
  type ReplaceAuthor,
} from './authors.validation.js'

/** Identifies one of the authors that a caller can reach. */
export interface AuthorKey {
  scope: Scope
  id: string
}

export function list(scope: Scope, query: ListAuthors): Promise<Page<Author>> {
  return findPage(AuthorModel, scope, query)
}

export async function get({ scope, id }: AuthorKey): Promise<Author> {
  return requireFound(await AuthorModel.findOne(inScope(scope, { _id: id })).lean())
}

export async function create(scope: Scope, input: CreateAuthor): Promise<Author> {
  return createInScope(AuthorModel, scope, input)
}

export async function replace(
  { scope, id }: AuthorKey,
  input: ReplaceAuthor,
  match: IfMatch,
): Promise<Author> {
  return replaceDocument(AuthorModel, { _id: id }, { schema: replaceAuthor, input, match, scope })
}

export async function patch(
  { scope, id }: AuthorKey,
  input: PatchAuthor,
  match: IfMatch,
): Promise<Author> {
  return patchDocument(
    AuthorModel,
    { _id: id },
    { schema: createAuthor, patch: input, match, scope },
  )
}

export async function remove({ scope, id }: AuthorKey, match: IfMatch): Promise<void> {
  const filter = inScope(scope, { _id: id })
  const author = await AuthorModel.findOneAndDelete(inScope(filter, match)).lean()
  if (!author) await rejectMiss(AuthorModel, filter, match)
}
