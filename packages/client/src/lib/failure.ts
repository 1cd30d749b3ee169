/** One fault of the input. */
export interface ErrorItem {
  /** The part of the request with the fault. */
  readonly in: string
  /** JSON Pointer as URI fragment (RFC 6901): `#/email`. */
  readonly pointer: string
  /** Code of the fault. */
  readonly code: string
  /** Description of the fault. */
  readonly detail: string
}

/** The properties of a {@link Failure}. */
export interface FailureParts<Code extends string = string, Status extends number = number> {
  /** Stable code to switch on. */
  readonly code: Code
  /** Status of the response, 0 without one. */
  readonly status: Status
  /** Description of this occurrence. */
  readonly detail?: string
  /** Id of the request in the logs of the server. */
  readonly requestId?: string | null
  /** The faults of the input. */
  readonly errors?: readonly ErrorItem[]
  /** The body as it was received. */
  readonly problem?: unknown
  /** With `precondition_failed`: the document as it is now, if it could be read. */
  readonly current?: unknown
}

/**
 * A call that failed: the problem that the server reported (RFC 9457), or a `code` of the client with status 0:
 * `network_error`, `timed_out` or `aborted`.
 */
export class Failure<Code extends string = string, Status extends number = number>
  extends Error
  implements FailureParts<Code, Status>
{
  override readonly name = 'Failure'
  declare readonly code: Code
  declare readonly status: Status
  declare readonly detail?: string
  declare readonly requestId?: string | null
  declare readonly errors?: readonly ErrorItem[]
  declare readonly problem?: unknown
  declare readonly current?: unknown

  constructor(parts: FailureParts<Code, Status>, options?: ErrorOptions) {
    super(parts.detail ? `${parts.code}: ${parts.detail}` : parts.code, options)
    Object.assign(this, parts)
  }
}

/** A failure without a response. */
export type ClientFailure = Failure<'network_error' | 'timed_out' | 'aborted', 0>

/** The document has changed since it was read: `current` is its current version. */
export type PreconditionFailure<Document> = Failure<'precondition_failed', 412> & {
  readonly current: Document | undefined
}

// Makes a failure of the client.
export function toClientFailure(code: ClientFailure['code'], cause: unknown): ClientFailure {
  return new Failure({ code, status: 0 }, { cause })
}

// Reads the failure of a response; one without a problem gets the code `http_<status>`.
export function toFailure(response: Response, problem: unknown): Failure {
  const { status } = response
  const requestId = response.headers.get('x-request-id')
  const members = Object(problem) as Partial<FailureParts>
  const { code = `http_${status}`, detail = '', errors = [] } = members
  return new Failure({
    code,
    status,
    detail,
    errors,
    requestId: members.requestId ?? requestId,
    problem,
  })
}
