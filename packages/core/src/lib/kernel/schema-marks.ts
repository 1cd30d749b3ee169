import { z, type ZodType } from 'zod'

// The keys of cursors: the first one signs, every one verifies.
export type CursorKeys = readonly [Uint8Array, ...Uint8Array[]]

// The part of a Mongoose model that describes its indexes.
export interface IndexedModel {
  readonly modelName: string
  readonly schema: { indexes(): readonly (readonly [keys: object, options: object])[] }
}

// The fields of a list that should have an index.
export interface Listing {
  readonly filters: readonly string[]
  readonly sort: readonly string[]
}

// Resources mark their schemas here, so that routing and the OpenAPI document recognise them
// without importing the resource layer.

// Query schemas created by `defineListQuery`.
export const listings = z.registry<Listing>()

// Response schemas created by `defineView`; each has its own name in the document.
export const views = z.registry<{}>()

export function toListing(query: ZodType | undefined): Listing | undefined {
  return query && listings.get(query)
}
