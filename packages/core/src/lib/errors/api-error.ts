import { catalogue, type ErrorCode, type ErrorDefinition } from './catalogue.ts'

/** One fault in the input, an item of `errors` in a problem. */
export interface ErrorItem {
  /** The part of the request with the fault. */
  in: 'body' | 'query' | 'params' | 'header'
  /** JSON Pointer as URI fragment (RFC 6901 section 6): `#/tags/0`, `#/limit`. */
  pointer: string
  /** Stable code of the rule that failed: `too_small`, `unrecognized_key`. */
  code: string
  /** Description of the fault, without the value. */
  detail: string
}

type ErrorHeaders = Readonly<Record<string, string | readonly string[]>>

/** Options for {@link ApiError}. */
export interface ApiErrorOptions {
  /**
   * Description of this occurrence, safe to show; never sent with a 5xx.
   * @default undefined
   */
  detail?: string | undefined
  /**
   * The faults in the input, one by one.
   * @default undefined
   */
  errors?: readonly ErrorItem[] | undefined
  /**
   * Further members of the problem (RFC 9457 section 3.2), safe to show; never sent with a 5xx. They do not replace the
   * members of every problem.
   * @default {}
   */
  extensions?: Readonly<Record<string, unknown>> | undefined
  /**
   * Header fields of the response, such as `Retry-After` or `Allow`.
   * @default {}
   */
  headers?: ErrorHeaders | undefined
  /**
   * The original error; logged with a 5xx, never sent.
   * @default undefined
   */
  cause?: unknown
}

// Any text, without losing the completion of the framework's codes in editors.
type OwnCode = string & {}

/**
 * An error that the client sees as a problem; its code determines status and title.
 * @example
 * ```ts
 * throw new ApiError('conflict', { detail: 'The order has been shipped.' })
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Stable code for clients to switch on. */
  readonly code: ErrorCode | OwnCode
  /** HTTP status of the response. */
  readonly status: number
  /** Short text, the same for every error with this code. */
  readonly title: string
  /** Description of this occurrence. */
  readonly detail: string | undefined
  /** The faults in the input, one by one. */
  readonly errors: readonly ErrorItem[] | undefined
  /** Further members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>
  /** Header fields of the response. */
  readonly headers: ErrorHeaders

  /**
   * @param code - a code of the framework, or a definition of `defineErrors`
   * @param options - detail, errors, extensions, headers and cause
   */
  constructor(code: ErrorCode | ErrorDefinition, options: ApiErrorOptions = {}) {
    const { status, title } = typeof code === 'string' ? catalogue[code] : code
    // Capturing a stack costs ten times the rest, and a 4xx is not a bug to trace.
    const limit = Error.stackTraceLimit
    if (status < 500) Error.stackTraceLimit = 0
    super(options.detail ?? title, { cause: options.cause })
    Error.stackTraceLimit = limit
    this.code = typeof code === 'string' ? code : code.code
    this.status = status
    this.title = title
    this.detail = options.detail
    this.errors = options.errors
    this.extensions = options.extensions ?? {}
    this.headers = options.headers ?? {}
  }
}
