import { type QueryFilter, trusted } from 'mongoose'
import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { type AnyModel, toReferredModel } from './model.ts'
import { isRecord, type Readable } from '../kernel/plain.ts'

/** Options for {@link requireReferences}. */
export interface ReferenceOptions {
  /**
   * Id of the caller. In models with a field `owner` only the caller's own documents count, so that
   * the check does not reveal whether a document of another user exists.
   * @default undefined
   */
  owner?: string | undefined
}

interface Reference {
  readonly path: readonly (string | number)[]
  readonly model: string
  readonly id: unknown
}

/**
 * Checks that the documents an input refers to exist: every field with a `ref` in the model, also in
 * lists and objects, with one query for each referenced model. A model that is not registered is
 * skipped with one warning. The check takes no lock: a document deleted after it leaves a dangling
 * reference.
 * @param model - the model that is written
 * @param input - the parsed input
 * @param options - the owner whose documents count
 * @throws ApiError `validation_failed` with a pointer to each id without a document
 */
export async function requireReferences<T>(
  model: AnyModel<T>,
  input: Readable,
  options: ReferenceOptions = {},
): Promise<void> {
  const { owner } = options
  const references = toReferences(model, input, [])
  const names = [...new Set(references.map((reference) => reference.model))]
  const missing = await Promise.all(
    names.map((name) => {
      const others = references.filter((reference) => reference.model === name)
      return findMissing(model, name, others, owner)
    }),
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
  return name === undefined ? [] : [{ path, model: name, id: value }]
}

async function findMissing<T>(
  model: AnyModel<T>,
  name: string,
  references: readonly Reference[],
  owner: string | undefined,
): Promise<readonly Reference[]> {
  const other: AnyModel<object> | undefined = model.db.models[name]
  if (!other) {
    warnOnce(model, name)
    return []
  }
  const isOwned = owner !== undefined && other.schema.path('owner') !== undefined
  const ids = references.map(({ id }) => id)
  const filter: QueryFilter<object> = {
    _id: trusted({ $in: ids }),
    ...(isOwned && { owner }),
  }
  const found = await other.find(filter, { _id: 1 }).lean<{ _id: unknown }[]>()
  const present = new Set(found.map(({ _id }) => String(_id)))
  return references.filter(({ id }) => !present.has(String(id)))
}

const warned = new Set<string>()

function warnOnce<T>({ modelName }: AnyModel<T>, name: string): void {
  const text = `${modelName} refers to the model '${name}', which is not registered, so these references are not checked. Import the file that registers it: model('${name}', schema).`
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, 'CreateApiWarning')
}
