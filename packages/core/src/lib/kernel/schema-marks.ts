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

// Query schemas with which a client can choose documents to include, each with its access.
export const includes = z.registry<{}>()

// Response schemas created by `defineView`; each has its own name in the document.
export const views = z.registry<{}>()

// What a response is that is not JSON.
export interface ResponseStream {
  /** Its media type, with parameters. */
  readonly type: string
  /** Whether it consists of server-sent events. */
  readonly isEvents: boolean
}

// Response schemas created by `stream` and `events`.
export const responseStreams = z.registry<ResponseStream>()

// Whether the response of a route, or that of one of its statuses, is a stream.
export function toResponseStream(
  response: ZodType | Readonly<Record<number, ZodType | undefined>> | undefined,
): ResponseStream | undefined {
  if (response === undefined || response instanceof z.ZodType) {
    return response && responseStreams.get(response)
  }
  return Object.values(response)
    .map((schema) => schema && responseStreams.get(schema))
    .find((stream) => stream !== undefined)
}

export function toListing(query: ZodType | undefined): Listing | undefined {
  return query && listings.get(query)
}
