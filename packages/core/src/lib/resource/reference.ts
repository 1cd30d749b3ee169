import { type AnyModel } from './any-model.ts'

/**
 * Finds the model that a field refers to.
 * @param model - the model with the field
 * @param path - name of the field, with dots for members of objects
 * @returns the name of the other model; undefined when the field refers to none
 */
export function toReferredModel<T>(model: AnyModel<T>, path: string): string | undefined {
  const type = model.schema.path(path)
  if (!type) return undefined
  const ref: unknown = type.getEmbeddedSchemaType()?.options['ref'] ?? type.options['ref']
  return typeof ref === 'string' ? ref : undefined
}
