import { trusted } from 'mongoose'
import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { isRecord, type Readable } from '../json/plain.ts'
import { runQueries } from '../database/run-queries.ts'
import { findReaders } from '../access/readers.ts'
import {
  everything,
  type FindMembers,
  findMembers,
  nothing,
  type Scope,
  type ScopeOf,
  scopeOf,
} from '../access/scope.ts'
import { reachable } from './in-scope.ts'
import { type AnyModel, toReferredModel } from './model.ts'

/** The documents that the caller can refer to, by the name of the field: `req.references`. */
export type ReferenceScopes = Readonly<Record<string, Scope>>

/** Options for {@link requireReferences}. */
export interface ReferenceOptions {
  /**
   * The documents that the caller can refer to, by the path of the field, such as `lines.product`: `req.references`. The route
   * states them in `references`.
   * @default undefined, every document
   */
  readonly references?: ReferenceScopes | undefined
}

interface Reference {
  /** Its path without the positions in lists. */
  readonly field: string
  readonly path: readonly (string | number)[]
  readonly model: string
  readonly id: unknown
}

/**
 * Checks that the documents an input refers to exist, and that the caller can refer to them: every field with a `ref`
 * in the model, also in lists and objects, with one query for each referenced model and scope. A model that is not registered is
 * skipped with one warning. In a request to an organization, a user has to be one of its members, unless `references` names the
 * field. The check takes no lock: a document deleted after it leaves a dangling
 * reference.
 * @param model - the model that is written
 * @param input - the parsed input
 * @param options - the documents that the caller can refer to
 * @throws ApiError `validation_failed` with a pointer to each id without a document
 * @throws Error when the routes of the referenced model admit owners to their documents and `references` is neither that of a request
 * nor has a scope for the field, or a scope names a field that the model does not have
 * @example
 * ```ts
 * await requireReferences(PostModel, input, { references: req.references })
 * ```
 */
export async function requireReferences<T>(
  model: AnyModel<T>,
  input: Readable,
  options: ReferenceOptions = {},
): Promise<void> {
  const { references: scopes } = options
  const references = toReferences(model, input, [])
  const groups = new Map<string, Reference[]>()
  for (const reference of references) {
    const { field, model: name } = reference
    const group = `${name} ${scopes?.[field] ? field : ''}`
    groups.set(group, [...(groups.get(group) ?? []), reference])
  }
  const missing = await runQueries(
    model,
    Array.from(groups.values(), (group) => () => findMissing(model, group, scopes)),
  )
  const errors = missing.flat().map(({ path }): ErrorItem => ({
    in: 'body',
    pointer: toPointer(path),
    code: 'not_found',
    detail: 'does not exist',
  }))
  if (errors.length > 0) throw new ApiError('validation_failed', { errors })
}

function toReferences<T>(
  model: AnyModel<T>,
  value: unknown,
  path: readonly (string | number)[],
): Reference[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => toReferences(model, item, [...path, index]))
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([field, member]) =>
      toReferences(model, member, [...path, field]),
    )
  }
  if (value === null || value === undefined) return []
  const name = toReferredModel(model, path.join('.'))
  const field = path.filter((part) => typeof part === 'string').join('.')
  return name === undefined ? [] : [{ field, path, model: name, id: value }]
}

// All of them refer to the same model, with the same scope.
async function findMissing<T>(
  model: AnyModel<T>,
  references: readonly Reference[],
  scopes: ReferenceScopes | undefined,
): Promise<readonly Reference[]> {
  const [{ field, model: name } = { field: '', model: '' }] = references
  const other: AnyModel<object> | undefined = model.db.models[name]
  if (!other) {
    warnOnce(model, name)
    return []
  }
  const scope = await findScope(model, other, { scopes, field })
  const ids = references.map(({ id }) => id)
  const found = await other
    .find(reachable(other, scope, { _id: trusted({ $in: ids }) }), { _id: 1 })
    .lean<{ _id: unknown }[]>()
  const present = new Set(found.map(({ _id }) => String(_id)))
  // In an organization, a user who is not a member does not exist.
  const find: FindMembers | undefined =
    scopes && !Object.hasOwn(scopes, field) ? Reflect.get(scopes, findMembers) : undefined
  const members = await find?.(name, ids)
  return references.filter(
    ({ id }) => !present.has(String(id)) || members?.has(String(id)) === false,
  )
}

interface Place {
  readonly scopes: ReferenceScopes | undefined
  readonly field: string
}

// Documents with owners are not revealed by accident: those that the caller can read, unless the route states something else.
async function findScope<T>(
  { modelName }: AnyModel<T>,
  other: AnyModel<object>,
  { field, scopes }: Place,
): Promise<Scope> {
  if (!scopes) return everything
  const stated = Object.hasOwn(scopes, field) ? scopes[field] : undefined
  if (stated) return stated
  const readers = findReaders(other)
  if (readers === undefined) return everything
  const find: ScopeOf | undefined = Reflect.get(scopes, scopeOf)
  if (find) return (await find(readers)) ?? nothing
  throw new Error(
    `${modelName}.${field} refers to ${other.modelName}, whose documents have owners, and there is no scope for them. Pass req.references on, or add references: { ${field}: 'owner' } to the route or its router, or 'public'.`,
  )
}

const warned = new Set<string>()

function warnOnce<T>({ modelName }: AnyModel<T>, name: string): void {
  const text = `${modelName} refers to the model '${name}', which is not registered, so these references are not checked. Import the file that registers it: model('${name}', schema).`
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, 'CreateApiWarning')
}
