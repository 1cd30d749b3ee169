import { type ApiError, type ErrorItem } from './api-error.ts'
import { catalogue, type ErrorCode } from './catalogue.ts'

/** Prefix of `type` when the app sets none: a name, not an address (RFC 9457 section 3.1.1). */
export const defaultProblemBase = 'urn:problem-type:create-api'

/** Media type of a problem (RFC 9457 section 6.1). */
export const problemMediaType = 'application/problem+json; charset=utf-8'

/** The body of an error answer (RFC 9457 section 3). */
export interface Problem {
  /** Absolute URI of the kind of problem: `<problemBase>/<code>`. */
  type: string
  /** Short text, the same for every problem of this code. */
  title: string
  /** The HTTP status of the answer. */
  status: number
  /** What is wrong with this request; absent on 5xx. */
  detail?: string | undefined
  /** `/requests/<requestId>`. */
  instance: string
  /** Stable code; what clients switch on. */
  code: ErrorCode
  /** Id of the request, as in the `X-Request-Id` header and in the log. */
  requestId: string
  /** The faults in body, query or headers, one by one; absent on 5xx. */
  errors?: readonly ErrorItem[] | undefined
}

/** What a problem says beyond its error. */
export interface ProblemContext {
  /** Id of the request. */
  requestId: string
  /**
   * Prefix of `type`, an absolute URI without the last slash.
   * @default 'urn:problem-type:create-api'
   */
  problemBase?: string | undefined
}

/**
 * Builds the body of an error answer. That of a 5xx is the same whatever happened.
 * @param error - the error to answer with
 * @param context - request id and prefix of `type`
 * @returns the problem, ready for `JSON.stringify`
 */
export function toProblem(error: ApiError, context: ProblemContext): Problem {
  const { requestId, problemBase = defaultProblemBase } = context
  const { status, title } = catalogue[error.code]
  const safe = status < 500
  return {
    type: `${problemBase}/${error.code}`,
    title,
    status,
    detail: safe ? error.detail : undefined,
    instance: `/requests/${requestId}`,
    code: error.code,
    requestId,
    errors: safe ? error.errors : undefined,
  }
}
