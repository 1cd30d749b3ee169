import { trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { type Scope } from '../access/scope.ts'
import { reachable } from './in-scope.ts'
import { listLimits } from './list-limits.ts'
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
  /** The parsed query of the route, with the includes of a view. */
  readonly query: ViewQuery
}

/**
 * Adds the documents that a client requested with `include`, with one query for each include. A
 * document that the caller may not see is treated as missing: null, or absent from a list.
 * @param model - the model of the documents
 * @param documents - the documents found
 * @param options - the parsed query
 * @returns the documents, each with `included`; unchanged when the query has no `include`
 * @throws ApiError `invalid_query` when more than 1000 documents would be included
 * @throws Error when the field has no `ref` in the model, the access of the include names a field that the
 * referenced model does not have, or the query was not parsed by a route
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
  { query }: IncludeOptions,
): Promise<object> {
  const { include = [] } = query
  if (include.length === 0) return found
  const documents: readonly object[] = Array.isArray(found) ? found : [found]
  const finders = await Promise.all(include.map((chosen) => createFinder(model, documents, chosen)))
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
  { field, scope }: ChosenInclude,
): Promise<Finder> {
  const ids = new Map<string, unknown>()
  for (const id of documents.flatMap((document) => toIds(Reflect.get(document, field)))) {
    ids.set(String(id), id)
  }
  if (ids.size > listLimits.included) throw tooMany()
  const others = await findVisible(requireModel(model, field), [...ids.values()], scope)
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
  scope: Scope | undefined,
): Promise<object[]> {
  if (!scope) {
    throw new Error(
      `${model.modelName} cannot be included: the query was not parsed by the route, which evaluates the access of its includes. Pass req.valid.query.`,
    )
  }
  const filter = reachable(model, scope, { _id: trusted({ $in: ids }) })
  return ids.length === 0 ? [] : model.find(filter).lean<object[]>()
}

function tooMany(): ApiError {
  const detail = `would add more than ${listLimits.included} documents; request fewer with limit`
  return new ApiError('invalid_query', {
    errors: [{ in: 'query', pointer: '#/include', code: 'too_big', detail }],
  })
}
