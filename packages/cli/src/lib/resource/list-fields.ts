import { type Field } from '../fields/field.ts'
import { type Resource } from './resource.ts'
import { toScope } from './scope-data.ts'

/** Fields a list can be filtered and sorted by. */
export interface ListFields {
  readonly filters: readonly string[]
  readonly sort: readonly string[]
}

// Each of them costs an index; MongoDB allows 64, and every write keeps them all up to date.
const mostIndexes = 16

// Names of the parameters every list has.
const parameters = ['page', 'limit', 'cursor', 'sort', 'q']

const unfiltered = ['text', 'object', 'shape', 'any', 'url']
const sorted = ['string', 'int', 'number', 'decimal', 'date', 'email']

/**
 * Chooses the fields a list can be filtered and sorted by.
 *
 * @param resource the resource
 * @returns their names; every one of them has an index in the model
 */
export function sortable(resource: Resource): ListFields {
  const fields = filterable(resource)
  // A unique index has no room for the id that makes an order complete.
  const sort = fields.filter(
    ({ array, type, unique }) => !array && !unique && sorted.includes(type.kind),
  )
  const created = resource.timestamps ? ['createdAt'] : []
  return {
    filters: [...fields.map(({ name }) => name), ...created],
    sort: [...created, ...sort.map(({ name }) => name)],
  }
}

/**
 * Chooses the indexes of the model.
 *
 * @param resource the resource
 * @returns the keys of each index, in order
 */
export function toIndexes(resource: Resource): readonly (readonly string[])[] {
  const scope = toScope(resource).map(({ name }) => name)
  const fields = filterable(resource).filter(({ unique }) => !unique || scope.length > 0)
  const names = fields.map(({ name }) => name)
  const created = resource.timestamps ? ['createdAt'] : []
  const keys = [...names, ...created].map((name) => [...scope, name, '_id'])
  return keys.length === 0 && scope.length > 0 ? [[...scope, '_id']] : keys
}

function filterable(resource: Resource): readonly Field[] {
  return resource.fields
    .filter(({ name, type }) => !unfiltered.includes(type.kind) && !parameters.includes(name))
    .slice(0, mostIndexes)
}
