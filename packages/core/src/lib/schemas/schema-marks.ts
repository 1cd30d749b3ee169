import { type core, z, type ZodType } from 'zod'
import { type Rule } from '../access/access.ts'

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
  /** How text is compared; undefined for exact comparison. */
  readonly collation?: object | undefined
  /** The fields that the collation applies to. */
  readonly texts?: readonly string[] | undefined
  /** The same filters without paging, order and total; undefined for what this returns. */
  readonly toUnpaged?: (() => ZodType) | undefined
}

// Resources mark their schemas here, so that routing and the OpenAPI document recognise them
// without importing the resource layer.

// Query schemas with which a client can choose documents to include, each with its access.
export const includes = z.registry<{}>()

// Response schemas created by `defineView`; each has its own name in the document.
export const views = z.registry<{}>()

// Marks that contain functions, which the types of `z.registry` do not allow.
class Marks<T> {
  readonly #marks = new WeakMap<core.$ZodType, T>()

  set<S extends core.$ZodType>(schema: S, mark: T): S {
    this.#marks.set(schema, mark)
    return schema
  }

  // A schema that has got a description or a check since is derived from the marked one.
  get(schema: core.$ZodType): T | undefined {
    const {
      _zod: { parent },
    } = schema
    return this.#marks.get(schema) ?? (parent && this.get(parent))
  }
}

// Query schemas created by `defineListQuery`.
export const listings = new Marks<Listing>()

// Who may use a field; undefined for every caller.
export interface Restriction {
  readonly readable: Rule | undefined
  readonly writable: Rule | undefined
}

// Schemas of fields created by `restrict`, and those derived from them.
export const restrictions = new Marks<Restriction>()

// The schema of the body that creates a document, by the schema of its patches.
export const patchSources = new Marks<z.ZodObject>()

// A rule, and the field that it decides about.
export interface FieldRule {
  readonly field: string
  readonly rule: Rule
}

// A query whose parameters depend on the fields that its caller may read.
export interface CallerQuery {
  readonly rules: readonly FieldRule[]
  /** The query of a caller whom these rules refuse. */
  readonly without: (refused: ReadonlySet<Rule>) => ZodType
}

// Query schemas created by `defineListQuery` and `defineView` for an output with restricted fields.
export const callerQueries = new Marks<CallerQuery>()

// The kind of a response that is not JSON.
export interface ResponseStream {
  /** Its media type, with parameters. */
  readonly type: string
  /** Whether it consists of server-sent events. */
  readonly isEvents: boolean
}

// Response schemas created by `stream` and `events`.
export const responseStreams = z.registry<ResponseStream>()

// The description of a body or response whose parts are checked by other schemas.
export interface Description {
  readonly schema: ZodType
  /** Media types besides JSON. */
  readonly otherTypes: readonly string[]
}

// Bodies and responses of bulk requests.
export const descriptions = new Marks<Description>()

// Schemas of documents that are references to their components inside other responses.
export const documents = z.registry<{}>()

// Schemas of members that contain an error in the format of the API.
export const problems = z.registry<{}>()

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
