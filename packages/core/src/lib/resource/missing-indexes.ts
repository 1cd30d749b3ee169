import { type IndexedModel, type Listing, toListing } from '../schemas/schema-marks.ts'
import { type Route } from '../route/route.ts'

export interface MissingIndex {
  readonly field: string
  readonly use: 'filter' | 'sort'
}

// An index helps with its first field, and with the field after those that clients cannot name:
// these are part of every query, such as the owner or the parent.
export function findMissingIndexes(model: IndexedModel, listing: Listing): MissingIndex[] {
  const { filters, sort } = listing
  const named = new Set([...filters, ...sort])
  const indexed = new Set(['id', ...model.schema.indexes().map(([keys]) => toHelped(keys, named))])
  return [...named]
    .filter((field) => !indexed.has(field))
    .map((field) => ({ field, use: filters.includes(field) ? 'filter' : 'sort' }))
}

function toHelped(keys: object, named: ReadonlySet<string>): string | undefined {
  return Object.keys(keys).find((key) => named.has(key))
}

export function describeMissingIndex(model: IndexedModel, missing: MissingIndex): string {
  const { field, use } = missing
  const verb = use === 'filter' ? 'filters' : 'sorts'
  return `${model.modelName} has no index for '${field}', which its list ${verb} by: each such request reads the whole collection. Add to the model: schema.index({ ${field}: 1, _id: 1 }).`
}

export function findSlowFields(router: {
  readonly routes: readonly Route[]
  readonly model?: IndexedModel | undefined
}): string[] {
  const { routes, model } = router
  if (!model) return []
  const lines = routes.flatMap(({ query }) => {
    const listing = toListing(query)
    const missing = listing ? findMissingIndexes(model, listing) : []
    return missing.map((one) => describeMissingIndex(model, one))
  })
  return [...new Set(lines)]
}
