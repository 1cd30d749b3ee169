import { type RequestHandler, type Response } from 'express'
import { type ZodType } from 'zod'
import { type ErrorCode } from '../errors/catalogue.ts'
import { type Access } from './access.ts'

/** What stands around `data` and `meta` of a success: `(data) => ({ article: data })`. */
export type Envelope = (data: unknown, meta: unknown) => unknown

/** Methods a route can have; HEAD follows GET and OPTIONS is answered for every path. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What one route is: method, path, access, schemas and controller. */
export interface Route {
  /** HTTP method, in lower case. */
  readonly method: Method
  /** Path below the mount: literal segments and `:name` parameters. */
  readonly path: string
  /** Who may call it. A rule needs `load`. */
  readonly access: Access
  /**
   * Finds the document that a rule in `access` decides about, by the parsed path parameters; null
   * is a 404. The handler finds it as `req.document`.
   * @default undefined
   */
  readonly load?: ((params: never) => PromiseLike<object | null>) | undefined
  /**
   * Path parameters. A value that fails is the same 404 as an absent resource.
   * @default undefined
   */
  readonly params?: ZodType | undefined
  /**
   * Query. A value that fails is a 400; without a schema every parameter is refused.
   * @default undefined
   */
  readonly query?: ZodType | undefined
  /**
   * JSON body. A value that fails is a 422; without a schema no body is read.
   * @default undefined
   */
  readonly body?: ZodType | undefined
  /**
   * Media types of the body.
   * @default ['application/json'], for PATCH also 'application/merge-patch+json'
   */
  readonly consumes?: readonly string[] | undefined
  /**
   * Media type of a success, such as `application/vnd.api+json`; `Accept` has to allow it.
   * @default 'application/json; charset=utf-8'
   */
  readonly produces?: string | undefined
  /**
   * The `data` of the answer; without it the route answers 204.
   * @default undefined
   */
  readonly response?: ZodType | undefined
  /**
   * The `meta` of the answer.
   * @default undefined
   */
  readonly meta?: ZodType | undefined
  /**
   * Replaces what the API puts around `data` and `meta`, for formats that somebody else designed.
   * @default the envelope of the API
   */
  readonly envelope?: Envelope | undefined
  /**
   * Status of a success, for the OpenAPI document.
   * @default 200, or 204 without a response
   */
  readonly status?: number | undefined
  /**
   * Whether a request with an `Idempotency-Key` can be repeated without repeating what it does.
   * @default false
   */
  readonly idempotent?: boolean | undefined
  /**
   * Codes it can answer beyond those that follow from its shape.
   * @default []
   */
  readonly errors?: readonly ErrorCode[] | undefined
  /**
   * Whether the answer carries the version of the document as `ETag`; a GET then answers 304 to
   * `If-None-Match`, PUT, PATCH and DELETE answer 412 to an `If-Match` that is out of date.
   * @default false
   */
  readonly etag?: boolean | undefined
  /**
   * Whether `If-Match` must be there; without it the answer is 428.
   * @default false
   */
  readonly requireIfMatch?: boolean | undefined
  /**
   * One line for the OpenAPI document.
   * @default undefined
   */
  readonly summary?: string | undefined
  /**
   * Unique name for generated clients.
   * @default made from method and path
   */
  readonly operationId?: string | undefined
  /**
   * Marks the operation as deprecated.
   * @default false
   */
  readonly deprecated?: boolean | undefined
  /**
   * Ordinary Express middleware that runs after the access check and before the body is read.
   * @default []
   */
  readonly before?: readonly RequestHandler[] | undefined
  /** The controller; it ends in `success(res, data)`. */
  readonly handler: (req: never, res: Response) => void | Promise<void>
}

/**
 * The media type of a success.
 * @param route - the route
 * @returns the type without its parameters
 */
export function toMediaType(route: Route): string {
  const { produces = 'application/json' } = route
  return produces.replace(/\s*;.*$/s, '')
}

/** The route that serves a request. */
export interface Endpoint {
  /** HTTP method, in upper case. */
  readonly method: string
  /** Whole pattern of the path: `/api/posts/:id`. */
  readonly path: string
  /** What the route was defined as. */
  readonly route: Route
  /** Name of the group it belongs to. */
  readonly tag?: string | undefined
  /** Makes the text of a success body. */
  readonly render: (data: unknown, meta: unknown) => string
}
