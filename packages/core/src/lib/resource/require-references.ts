import { type AnyModel } from './any-model.ts'
import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'

interface Reference {
  readonly path: readonly (string | number)[]
  readonly model: string
  readonly id: unknown
}

/**
 * Checks that what a document refers to exists: every `ref` of the model that the input names.
 * @param model - the model that is written
 * @param input - what is to be written, parsed
 * @throws ApiError `validation_failed` with a pointer to each id that names nothing
 */
export async function requireReferences<T>(
  model: AnyModel<T>,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const references = Object.entries(input).flatMap(([field, value]) =>
    toReferences(field, value, toRef(model, field)),
  )
  const found = await Promise.all(
    references.map(({ model: name, id }) => model.db.model(name).exists({ _id: id })),
  )
  const errors = references.flatMap(({ path }, index): ErrorItem[] =>
    found[index]
      ? []
      : [{ in: 'body', pointer: toPointer(path), code: 'not_found', detail: 'does not exist' }],
  )
  if (errors.length > 0) throw new ApiError('validation_failed', { errors })
}

function toRef<T>(model: AnyModel<T>, field: string): unknown {
  const path = model.schema.path(field)
  if (!path) return undefined
  return path.getEmbeddedSchemaType()?.options['ref'] ?? path.options['ref']
}

function toReferences(field: string, value: unknown, ref: unknown): Reference[] {
  if (typeof ref !== 'string' || value === null || value === undefined) return []
  if (!Array.isArray(value)) return [{ path: [field], model: ref, id: value }]
  return value.map((id: unknown, index) => ({ path: [field, index], model: ref, id }))
}
