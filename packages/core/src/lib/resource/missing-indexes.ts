import { type Listing } from './list-query.ts'

/** A Mongoose model, as far as its indexes go. */
export interface IndexedModel {
  readonly modelName: string
  readonly schema: { indexes(): readonly (readonly [keys: object, options: object])[] }
}

/** A field that a list looks up or sorts by, without an index that helps. */
export interface MissingIndex {
  readonly field: string
  readonly use: 'filter' | 'sort'
}

/**
 * Finds the fields that a list can filter or sort by and the model has no index for. An index helps
 * with its first field, and with the one behind fields that clients cannot name: those are in every
 * query, such as the owner or the parent.
 * @param model - the model of the list
 * @param listing - what clients can filter and sort by
 * @returns each field once
 */
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

/**
 * Says what is missing and how to add it.
 * @param model - the model of the list
 * @param missing - what was found
 * @returns one line
 */
export function describeMissingIndex(model: IndexedModel, missing: MissingIndex): string {
  const { field, use } = missing
  const verb = use === 'filter' ? 'filters' : 'sorts'
  return `${model.modelName} has no index for '${field}', which its list ${verb} by: each such request reads the whole collection. Add to the model: schema.index({ ${field}: 1, _id: 1 }).`
}
