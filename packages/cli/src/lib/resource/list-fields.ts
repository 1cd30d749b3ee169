import { type Field } from '../fields/field.ts'
import { toFieldType } from '../fields/field-types.ts'
import { type Resource } from './resource.ts'

// Every filter costs an index: MongoDB allows 64, and each write updates all of them.
const maxIndexes = 16

const listParameters = ['page', 'limit', 'cursor', 'offset', 'sort', 'q']

// The fields a list can be filtered and sorted by; each has an index in the model.
export function toListFields(resource: Resource): {
  readonly filters: readonly string[]
  readonly sort: readonly string[]
} {
  if (resource.existing) {
    const { filters, sort } = resource.existing
    return { filters, sort }
  }
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

export interface Index {
  /** In order. */
  readonly keys: readonly string[]
  /** Its options in code; empty without any. */
  readonly options: string
}

// The options of an index with the collation of the list, which is a constant of the model.
export const collatedOptions = ', { collation }'

// The indexes of the model, without those of its unique fields, except for the ones of organizations. Those of the
// list begin with what its access compares.
export function toIndexes(resource: Resource): readonly Index[] {
  const { access, collation, parent, tenant, timestamps } = resource
  const place = [
    ...(tenant === undefined ? [] : ['organization']),
    ...(parent === undefined ? [] : [parent.field]),
  ]
  const alternatives = access.of.list
  const isOwners = alternatives.join('|') === 'owner'
  const scope = isOwners ? [...place, 'owner'] : place
  // Those that begin with the keys of a unique index are not needed.
  const covered = tenant === undefined ? 0 : 1
  const isCollated = ({ type }: Field): boolean =>
    collation !== undefined && toFieldType(type.kind).collated === true
  const fields = filterableFields(resource).filter(
    (field) => !field.unique || scope.length > covered || isCollated(field),
  )
  const collated = fields.filter(isCollated).map(({ name }) => name)
  const names = [...fields.map(({ name }) => name), ...(timestamps ? ['createdAt'] : [])]
  // The list in its default order, which is that of the ids.
  const own = scope.length > 0 ? [[...scope, '_id']] : []
  // Owners among others: they have few documents, so that one index is enough for all their filters.
  const ofOwner = !isOwners && alternatives.includes('owner') ? [[...place, 'owner', '_id']] : []
  const plain = [...own, ...ofOwner, ...names.map((name) => [...scope, name, '_id'])]
  return [
    ...toUniqueIndexes(resource),
    ...plain.map((keys) => ({
      keys,
      options: collated.includes(keys.at(-2) ?? '') ? collatedOptions : '',
    })),
  ]
}

// Each organization has its own values.
function toUniqueIndexes({ fields, tenant }: Resource): readonly Index[] {
  if (tenant === undefined) return []
  return fields
    .filter(({ unique }) => unique)
    .map(({ default: value, name, required }) => {
      // Without it two documents without the value would count as duplicates.
      const isComplete = required || value !== undefined
      const rest = isComplete ? '' : `, partialFilterExpression: { ${name}: { $exists: true } }`
      return { keys: ['organization', name], options: `, { unique: true${rest} }` }
    })
}

function filterableFields({ fields }: Resource): readonly Field[] {
  return fields
    .filter(({ type }) => toFieldType(type.kind).filterable)
    .filter(({ name }) => !listParameters.includes(name))
    .slice(0, maxIndexes)
}
