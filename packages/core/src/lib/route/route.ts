import { type Request, type RequestHandler, type Response } from 'express'
import { type core, z, type ZodType } from 'zod'
import { type ErrorCode, type ErrorDefinition } from '../errors/catalogue.ts'
import { type StreamScope } from './open-streams.ts'
import { type Step } from '../stage/stage.ts'
import { type IndexedModel, toResponseStream } from '../schemas/schema-marks.ts'
import { isOptional } from '../schemas/schema-members.ts'
import { type Deprecation, type DeprecationNotice } from './deprecation.ts'
import { type Access } from '../access/access.ts'
import { type Envelope } from '../response/envelope.ts'

/** Methods of routes. HEAD is served by the GET route, OPTIONS for every path. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The `data` of a response by its status; undefined where it has no body. */
export type ResponsesByStatus = Readonly<Record<number, ZodType | undefined>>

/** A media type, besides JSON, in which a list is sent as a whole. */
export interface ListFormat {
  /** Its media type, with parameters: `text/csv; charset=utf-8`. */
  readonly type: string
  /** The extension of its files, such as `csv`. */
  readonly extension: string
  /**
   * Creates the text of a list.
   * @param item - the schema of one document of the response
   * @param isIncluded - whether the caller may read a field, and has selected it
   * @returns the text before the first document, and a function that returns the text of a document
   */
  readonly toText: (item: core.$ZodType, isIncluded: (field: string) => boolean) => ListText
}

/** The text of a list in a {@link ListFormat}. */
export interface ListText {
  /** The text before the first document. */
  readonly head: string
  /** Returns the text of a document, as it is in JSON. */
  readonly toItem: (item: unknown) => string
}

/** The result of `live` of `@create-api/core/live`. */
export interface LiveList {
  /**
   * Creates the route of the changes of a list.
   * @param route - the route of the list
   * @param model - the model of its router
   * @returns the route
   */
  readonly toRoute: (route: Route, model: IndexedModel | undefined) => Route
}

/** One route: method, path, access, schemas and controller. */
export interface Route {
  /** HTTP method, in lower case. */
  readonly method: Method
  /** Path below the mount: literal segments and `:name` parameters. */
  readonly path: string
  /** Who may call it, and which documents the caller can reach. */
  readonly access: Access
  /**
   * Who can refer to documents in a field of the body: `{ author: 'owner' }`. Other names are possible, such as that
   * of the parent in the path. The handler reads the filters as `req.references`.
   * @default {}
   */
  readonly references?: Readonly<Record<string, Access>> | undefined
  /**
   * Loads the document that the route is about, which every caller may see, by the parsed path parameters;
   * null is a 404. If `access` is a filter, `load` returns a Mongoose query and is not `async`, and a document outside
   * the filter is a 403. In the handler the document is `req.document`.
   * @default undefined
   */
  readonly load?: ((params: never) => PromiseLike<object | null>) | undefined
  /**
   * Path parameters. An invalid value is the same 404 as a missing resource.
   * @default undefined
   */
  readonly params?: ZodType | undefined
  /**
   * Query. An invalid value is a 400; without a schema every parameter is rejected.
   * @default undefined
   */
  readonly query?: ZodType | undefined
  /**
   * Body: the schema of JSON, or a `multipart`. An invalid value is a 422; without a schema no body is
   * read.
   * @default undefined
   */
  readonly body?: ZodType | undefined
  /**
   * Media types of the body.
   * @default ['application/json'], for PATCH also 'application/merge-patch+json'
   */
  readonly consumes?: readonly string[] | undefined
  /**
   * Media type of a successful response, such as `application/vnd.api+json`; `Accept` must allow it.
   * @default 'application/json; charset=utf-8'
   */
  readonly produces?: string | undefined
  /**
   * Media types besides JSON in which a list can be requested by `Accept`: `[csv(), ndjson()]` of
   * `@create-api/core/exports`. The handler ends with `sendList`.
   * @default []
   */
  readonly formats?: readonly ListFormat[] | undefined
  /**
   * Adds the route of the changes of a list, `GET …/changes`: `live(service.list)` of `@create-api/core/live`.
   * @default undefined
   */
  readonly live?: LiveList | undefined
  /**
   * The `data` of the response, or a `stream` or `events`; without it the status is 204. A route with several statuses has one schema
   * for each: `{ 200: article, 201: article, 204: undefined }`.
   * @default undefined
   */
  readonly response?: ZodType | ResponsesByStatus | undefined
  /**
   * The `meta` of the response.
   * @default undefined
   */
  readonly meta?: ZodType | undefined
  /**
   * Replaces the envelope of the API around `data` and `meta`.
   * @default the envelope of the API
   */
  readonly envelope?: Envelope<never, never> | undefined
  /**
   * Status of a successful response, which {@link success} sends.
   * @default 200, or 204 without a response
   */
  readonly status?: number | undefined
  /**
   * Whether requests with an `Idempotency-Key` can be retried without repeating their effect.
   * @default false
   */
  readonly idempotent?: boolean | undefined
  /**
   * Error codes it can return besides those that follow from its definition; those of the application as
   * definitions of `defineErrors`.
   * @default []
   */
  readonly errors?: readonly (ErrorCode | ErrorDefinition)[] | undefined
  /**
   * Whether responses carry the version of the document as `ETag`. GET then returns 304 for a matching
   * `If-None-Match`; PUT, PATCH and DELETE return 412 for an outdated `If-Match`.
   * @default false
   */
  readonly etag?: boolean | undefined
  /**
   * Whether `If-Match` is required; without it the status is 428 (RFC 6585 section 3).
   * @default false
   */
  readonly requireIfMatch?: boolean | undefined
  /**
   * Name of its group in the OpenAPI document.
   * @default the tag of the router
   */
  readonly tag?: string | undefined
  /**
   * One line for the OpenAPI document.
   * @default undefined
   */
  readonly summary?: string | undefined
  /**
   * Unique name for generated clients.
   * @default derived from method and path
   */
  readonly operationId?: string | undefined
  /**
   * Marks the operation as deprecated. With dates, its responses announce it: `{ since: '2026-01-31', sunset: '2026-12-31',
   * successor: '/api/v2/posts' }`. `false` excepts a route from the deprecation of its router.
   * @default that of the router
   */
  readonly deprecated?: boolean | Deprecation | undefined
  /**
   * Ordinary Express middleware that runs after the access check and before the body is read.
   * @default []
   */
  readonly before?: readonly RequestHandler[] | undefined
  /**
   * Middleware that reads the body into `req.body` instead of the framework, such as the raw bytes of a signed body. The
   * schema `body` then checks what it has read; limits and media types are its own.
   * @default undefined, the body is read as JSON or `multipart`
   */
  readonly readBody?: RequestHandler | undefined
  /**
   * The routes of the items in the body; set by `withBulk` of `@create-api/core/bulk`.
   * @default undefined
   */
  readonly items?: readonly Route[] | undefined
  /** The controller, which ends with `success(res, data)`. */
  readonly handler: (req: never, res: Response) => void | Promise<void>
}

/** A route that its router completes: with the access, or with the `params` that its handler reads. */
export interface OpenRoute<Needs = never> extends Omit<Route, 'access'> {
  /**
   * Who may call it.
   * @default the access of the router
   */
  readonly access?: Access | undefined
  /** Exists in the types only: the parts that the router must provide. */
  readonly needs?: ((given: Needs) => void) | undefined
}

// The `data` of each successful status.
export function toResponses({
  response,
  status,
}: Pick<Route, 'response' | 'status'>): ReadonlyMap<number, ZodType | undefined> {
  if (response === undefined || response instanceof z.ZodType) {
    const responses = new Map([[status ?? (response ? 200 : 204), response]])
    return response && isOptional(response, 'output') ? responses.set(204, undefined) : responses
  }
  return new Map(Object.entries(response).map(([code, schema]) => [Number(code), schema]))
}

// The media type of a successful response, without its parameters.
export function toMediaType(route: Route): string {
  const { produces = toResponseStream(route.response)?.type ?? 'application/json' } = route
  return withoutParameters(produces)
}

export function withoutParameters(mediaType: string): string {
  return mediaType.replace(/\s*;.*$/s, '')
}

interface BodyLimits {
  readonly limit?: number | string | undefined
  readonly maxDepth?: number | undefined
  readonly dollarNames?: boolean | undefined
}

// The endpoints of the items in a body, and what they share with the API.
export interface ItemEndpoints {
  readonly endpoints: readonly (Endpoint & { readonly run: Step })[]
  /** Limits of bodies. */
  readonly body: BodyLimits | undefined
  /** Sends an error as the API does; undefined outside `createApi`. */
  readonly sendError: ((thrown: unknown, req: Request, res: Response) => void) | undefined
}

/** The route that serves a request. */
export interface Endpoint {
  /** HTTP method, in upper case. */
  readonly method: string
  /** Whole pattern of the path: `/api/posts/:id`. */
  readonly path: string
  /** The definition of the route. */
  readonly route: Route
  /** Name of the group it belongs to. */
  readonly tag?: string | undefined
  /** The model of its router. */
  readonly model?: IndexedModel | undefined
  /** Returns the status of a successful response: the declared one, or the one that the handler has set among several. */
  readonly toStatus: (set: number, hasData: boolean) => number
  /** Creates the body of a successful response with a status, for the caller of a request. */
  readonly render: (data: unknown, meta: unknown, status: number, req: Request) => string
  /** Converts the data of a route with `formats` to JSON values, for the caller of a request. */
  readonly toData?: ((data: unknown, req: Request) => unknown) | undefined
  /** Whether callers receive different fields of the same document. */
  readonly dependsOnCaller?: boolean | undefined
  /** How its responses announce that it is deprecated. */
  readonly deprecation?: DeprecationNotice | undefined
  /** Loads the caller again and throws when the route no longer admits it; undefined for a public route. */
  readonly checkAccess?: ((req: Request) => void | Promise<void>) | undefined
  /** The functions that its streams of events need; undefined outside `createApi`. */
  readonly streams?: StreamScope | undefined
  /** The endpoints of the routes in `items`. */
  readonly items?: ItemEndpoints | undefined
}
