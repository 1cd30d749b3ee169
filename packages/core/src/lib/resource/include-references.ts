import { type QueryFilter, trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { type User } from '../kernel/caller.ts'
import { type Access, isAllowed, isOpen, toRole } from '../kernel/access.ts'
import { type AnyModel, toReferredModel } from './model.ts'
import { type ChosenInclude, type ViewQuery } from './view.ts'

/** A document with the documents it refers to. It has no version: it is more than the document. */
export type Included<T> = Omit<T, '__v'> & {
  readonly __v?: unknown
  /** Documents by the field that refers to them; null for one that is missing or not visible. */
  readonly included?: Readonly<Record<string, unknown>>
}

/** Options for {@link includeReferences}. */
export interface IncludeOptions {
  /** The parsed query, with the includes of a view. */
  readonly query: ViewQuery
  /**
   * The caller; without a caller only includes with access `public` return documents.
   * @default undefined
   */
  readonly user?: User | undefined
}

const maxDocuments = 1000

/**
 * Adds the documents that a client requested with `include`, with one query for each include. A
 * document that the caller may not see is treated as missing: null, or absent from a list.
 * @param model - the model of the documents
 * @param documents - the documents found
 * @param options - the parsed query and the caller
 * @returns the documents, each with `included`; unchanged when the query has no `include`
 * @throws ApiError `invalid_query` when more than 1000 documents would be included
 * @throws Error when the field has no `ref` in the model, or the access is `owner` and the referenced
 * model has no field `owner`
 */
export async function includeReferences<T extends object, M>(
  model: AnyModel<M>,
  documents: readonly T[],
  options: IncludeOptions,
): Promise<Included<T>[]>
export async function includeReferences<T extends object, M>(
  model: AnyModel<M>,
  document: T,
  options: IncludeOptions,
): Promise<Included<T>>
export async function includeReferences<T extends object, M>(
  model: AnyModel<M>,
  found: T | readonly T[],
  { query, user }: IncludeOptions,
): Promise<object> {
  const { include = [] } = query
  if (include.length === 0) return found
  const documents: readonly object[] = Array.isArray(found) ? found : [found]
  const finders = await Promise.all(
    include.map((chosen) => createFinder(model, documents, chosen, user)),
  )
  const seen = documents.map((document) => ({
    ...document,
    __v: undefined,
    included: Object.fromEntries(finders.map(({ field, find }) => [field, find(document)])),
  }))
  return Array.isArray(found) ? seen : { ...seen[0] }
}

interface Finder {
  readonly field: string
  readonly find: (document: object) => unknown
}

async function createFinder<T>(
  model: AnyModel<T>,
  documents: readonly object[],
  { field, access }: ChosenInclude,
  user: User | undefined,
): Promise<Finder> {
  const ids = new Map<string, unknown>()
  for (const id of documents.flatMap((document) => toIds(Reflect.get(document, field)))) {
    ids.set(String(id), id)
  }
  if (ids.size > maxDocuments) throw tooMany()
  const others = await findVisible(requireModel(model, field), [...ids.values()], access, user)
  const byId = new Map(others.map((other) => [String(Reflect.get(other, '_id')), other]))
  return {
    field,
    find(document) {
      const value: unknown = Reflect.get(document, field)
      if (!Array.isArray(value)) return byId.get(String(value)) ?? null
      return value.flatMap((id) => byId.get(String(id)) ?? [])
    },
  }
}

function toIds(value: unknown): unknown[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function requireModel<T>(model: AnyModel<T>, field: string): AnyModel<object> {
  const name = toReferredModel(model, field)
  if (name === undefined) {
    throw new Error(
      `${model.modelName}.${field} cannot be included: the field has no ref. Add ref: 'Author' to the field in the model.`,
    )
  }
  return model.db.model<object>(name)
}

async function findVisible(
  model: AnyModel<object>,
  ids: readonly unknown[],
  access: Access,
  user: User | undefined,
): Promise<object[]> {
  if (access === 'owner') requireOwner(model)
  const scope = toScope(access, user)
  if (!scope || ids.length === 0) return []
  const filter: QueryFilter<object> = { _id: trusted({ $in: ids }), ...scope }
  const found = await model.find(filter).lean<object[]>()
  if (typeof access !== 'function' || !user) return found
  return found.filter((document) => isAllowed(access, user, document))
}

function requireOwner({ modelName, schema }: AnyModel<object>): void {
  if (schema.path('owner')) return
  throw new Error(
    `${modelName} cannot be included with access 'owner': it has no field 'owner'. Use another access or a rule.`,
  )
}

function toScope(access: Access, user: User | undefined): object | undefined {
  if (isOpen(access)) return {}
  if (!user) return undefined
  if (access === 'owner') return { owner: user.id }
  const role = toRole(access)
  return role === undefined || user.roles.includes(role) ? {} : undefined
}

function tooMany(): ApiError {
  const detail = `would add more than ${maxDocuments} documents; request fewer with limit`
  return new ApiError('invalid_query', {
    errors: [{ in: 'query', pointer: '#/include', code: 'too_big', detail }],
  })
}
