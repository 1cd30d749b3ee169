import { type QueryFilter, trusted } from 'mongoose'
import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { type AnyModel } from './any-model.ts'
import { isRecord, type Readable } from './plain.ts'
import { toReferredModel } from './reference.ts'

/** Options for {@link requireReferences}. */
export interface ReferenceOptions {
  /**
   * Id of the caller: of models with a field `owner` only the caller's own documents count, so that
   * nobody finds out whether another's document exists.
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
 * Checks that what a document refers to exists: every `ref` of the model that the input names, in
 * lists and objects too, by one query for each model. A model that is not registered cannot be
 * asked; that is warned of once. The check is a look before the write, no lock: what is deleted in
 * between, or later, leaves a reference to nothing.
 * @param model - the model that is written
 * @param input - what is to be written, parsed
 * @param options - whose documents count
 * @throws ApiError `validation_failed` with a pointer to each id that names nothing
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
      return findMissing(model, name, { references: others, owner })
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

interface Check {
  readonly references: readonly Reference[]
  readonly owner: string | undefined
}

async function findMissing<T>(
  model: AnyModel<T>,
  name: string,
  { references, owner }: Check,
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
  const text = `${modelName} refers to the model '${name}', which is not registered, so it is not checked that the documents exist. Import the file that makes it: model('${name}', schema).`
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, 'CreateApiWarning')
}
