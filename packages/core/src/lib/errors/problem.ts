import { type ApiError, type ErrorItem } from './api-error.ts'

export const defaultProblemBase = 'urn:problem-type:create-api'

export const problemMediaType = 'application/problem+json; charset=utf-8'

/** The body of an error response (RFC 9457 section 3). */
export interface Problem {
  /** Absolute URI of the problem type: `<problemBase>/<code>`. */
  type: string
  /** Short text, the same for every problem of this code. */
  title: string
  /** HTTP status of the response. */
  status: number
  /** Description of this occurrence; absent on 5xx. */
  detail?: string | undefined
  /** `/requests/<requestId>`. */
  instance: string
  /** Stable code for clients to switch on. */
  code: ApiError['code']
  /** Id of the request, as in the `X-Request-Id` header and in the log. */
  requestId: string
  /** The faults in body, query or headers, one by one; absent on 5xx. */
  errors?: readonly ErrorItem[] | undefined
}

export interface ProblemContext {
  /** Id of the request. */
  requestId: string
  /**
   * Prefix of `type`, an absolute URI without the last slash.
   * @default 'urn:problem-type:create-api'
   */
  problemBase?: string | undefined
}

// The problem of a 5xx never contains details.
export function toProblem(error: ApiError, context: ProblemContext): Problem {
  const { requestId, problemBase = defaultProblemBase } = context
  const { status, title } = error
  const safe = status < 500
  return {
    ...(safe ? error.extensions : undefined),
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
