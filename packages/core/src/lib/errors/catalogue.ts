/** A code with its status and title. */
export interface ErrorDefinition {
  /** Stable code for clients to switch on: `quota_exceeded`. */
  readonly code: string
  /** HTTP status of the response (RFC 9110 section 15, RFC 6585). */
  readonly status: number
  /** Short text, the same for every occurrence (RFC 9457 section 3.1.3). */
  readonly title: string
}

/** Every error code with its status and title. Clients switch on the code, never on the text. */
export const catalogue = {
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  malformed_multipart: { status: 400, title: 'The body is not valid multipart/form-data.' },
  invalid_encoding: { status: 400, title: 'The request is not valid UTF-8.' },
  too_deep: { status: 400, title: 'The body is nested too deeply.' },
  invalid_query: { status: 400, title: 'The query is not valid.' },
  bad_request: { status: 400, title: 'The request cannot be understood.' },
  unauthenticated: { status: 401, title: 'Authentication is required.' },
  invalid_token: { status: 401, title: 'The token is not valid.' },
  token_expired: { status: 401, title: 'The access token has expired.' },
  session_revoked: { status: 401, title: 'The session has ended.' },
  invalid_credentials: { status: 401, title: 'The credentials are not valid.' },
  reauthentication_required: { status: 401, title: 'The user must authenticate again.' },
  refresh_token_expired: { status: 401, title: 'The refresh token has expired.' },
  refresh_token_reused: { status: 401, title: 'The refresh token was used before.' },
  forbidden: { status: 403, title: 'Access is not allowed.' },
  not_found: { status: 404, title: 'Not found.' },
  method_not_allowed: { status: 405, title: 'The method is not allowed.' },
  not_acceptable: { status: 406, title: 'Only JSON can be served.' },
  request_timeout: { status: 408, title: 'The request took too long to arrive.' },
  conflict: { status: 409, title: 'The request conflicts with the current state.' },
  duplicate: { status: 409, title: 'The value is already in use.' },
  email_taken: { status: 409, title: 'The e-mail address is already registered.' },
  last_administrator: { status: 409, title: 'At least one administrator must remain.' },
  refresh_conflict: { status: 409, title: 'The token is being refreshed by another request.' },
  idempotency_conflict: { status: 409, title: 'The same request is still running.' },
  precondition_failed: { status: 412, title: 'The resource has changed.' },
  payload_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported.' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met.' },
  validation_failed: { status: 422, title: 'The request is not valid.' },
  password_too_common: { status: 422, title: 'The password is too common.' },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request.',
  },
  precondition_required: { status: 428, title: 'The request must be conditional.' },
  rate_limited: { status: 429, title: 'Too many requests.' },
  headers_too_large: { status: 431, title: 'The header fields are too large.' },
  internal_error: { status: 500, title: 'Something went wrong.' },
  service_unavailable: { status: 503, title: 'The service is temporarily unavailable.' },
  overloaded: { status: 503, title: 'The service is overloaded.' },
  timeout: { status: 504, title: 'The operation took too long.' },
} as const satisfies Record<string, Omit<ErrorDefinition, 'code'>>

/** The code of an error, a key of the catalogue. */
export type ErrorCode = keyof typeof catalogue
