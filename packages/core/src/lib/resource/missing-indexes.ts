import { type IndexedModel, type Listing, toListing } from '../schemas/schema-marks.ts'
import { type Route } from '../route/route.ts'

export interface MissingIndex {
  readonly field: string
  readonly use: 'filter' | 'sort'
  /** The collation that the index needs. */
  readonly collation?: object | undefined
}

// An index helps with its first field, and with the field after those that clients cannot name:
// these are part of every query, such as the owner or the parent.
export function findMissingIndexes(model: IndexedModel, listing: Listing): MissingIndex[] {
  const { filters, sort, collation, texts = [] } = listing
  const named = new Set([...filters, ...sort])
  const indexes = model.schema.indexes()
  const isIndexed = (field: string): boolean => {
    const wanted = texts.includes(field) ? collation : undefined
    return indexes.some(
      ([keys, options]) => toHelped(keys, named) === field && isCollatedBy(options, wanted),
    )
  }
  return [...named]
    .filter((field) => field !== 'id' && !isIndexed(field))
    .map((field) => ({
      field,
      use: filters.includes(field) ? 'filter' : 'sort',
      collation: texts.includes(field) ? collation : undefined,
    }))
}

// MongoDB compares text by an index only if the collations of the query and the index are the same.
function isCollatedBy(options: object, wanted: object | undefined): boolean {
  const { collation }: { collation?: object | undefined } = options
  return toText(collation) === toText(wanted)
}

function toText(collation: object = { locale: 'simple' }): string {
  const entries = Object.entries({ strength: 3, ...collation })
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function toHelped(keys: object, named: ReadonlySet<string>): string | undefined {
  return Object.keys(keys).find((key) => named.has(key))
}

export function describeMissingIndex(model: IndexedModel, missing: MissingIndex): string {
  const { field, use, collation } = missing
  const verb = use === 'filter' ? 'filters' : 'sorts'
  const options = collation ? `, { collation: ${JSON.stringify(collation)} }` : ''
  const kind = collation ? ' with the collation of its list' : ''
  return `${model.modelName} has no index${kind} for '${field}', which its list ${verb} by: each such request reads the whole collection. Add to the model: schema.index({ ${field}: 1, _id: 1 }${options}).`
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
