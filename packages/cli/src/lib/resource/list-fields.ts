import { type Field } from '../fields/field.ts'
import { toFieldType } from '../fields/field-types.ts'
import { type Resource, toScope } from './resource.ts'

// Every filter costs an index: MongoDB allows 64, and each write updates all of them.
const maxIndexes = 16

const listParameters = ['page', 'limit', 'cursor', 'offset', 'sort', 'q']

// The fields a list can be filtered and sorted by; each has an index in the model.
export function toListFields(resource: Resource): {
  readonly filters: readonly string[]
  readonly sort: readonly string[]
} {
  const fields = filterableFields(resource)
  // A unique index has no room for the id that makes an order complete.
  const sort = fields.filter(
    ({ array, type, unique }) => !array && !unique && toFieldType(type.kind).sortable,
  )
  const created = resource.timestamps ? ['createdAt'] : []
  return {
    filters: [...fields.map(({ name }) => name), ...created],
    sort: [...created, ...sort.map(({ name }) => name)],
  }
}

// The keys of each index of the model, in order.
export function toIndexes(resource: Resource): readonly (readonly string[])[] {
  const scope = toScope(resource).map(({ name }) => name)
  const fields = filterableFields(resource).filter(({ unique }) => !unique || scope.length > 0)
  const names = [...fields.map(({ name }) => name), ...(resource.timestamps ? ['createdAt'] : [])]
  // The list in its default order, which is that of the ids.
  const own = scope.length > 0 ? [[...scope, '_id']] : []
  return [...own, ...names.map((name) => [...scope, name, '_id'])]
}

function filterableFields({ fields }: Resource): readonly Field[] {
  return fields
    .filter(({ type }) => toFieldType(type.kind).filterable)
    .filter(({ name }) => !listParameters.includes(name))
    .slice(0, maxIndexes)
}
