import { type Field } from '../fields/field.ts'

export interface FieldReference {
  /** Path of the field: `author`, `lines.product`. */
  readonly path: string
  readonly model: string
}

// The models that the fields of a resource refer to, each once.
export function toReferredModels(fields: readonly Field[]): readonly string[] {
  return [...new Set(toReferences(fields).map(({ model }) => model))]
}

// The references in the fields of a resource, in objects too.
export function toReferences(fields: readonly Field[], parent = ''): FieldReference[] {
  return fields.flatMap(({ name, type }) => {
    const path = parent + name
    if (type.kind === 'ref') return [{ path, model: type.model }]
    return type.kind === 'shape' ? toReferences(type.fields, `${path}.`) : []
  })
}
