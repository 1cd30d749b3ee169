import { ApiError, type ApiErrorOptions } from './api-error.ts'
import { type ErrorCode } from './catalogue.ts'

const close = { Connection: 'close' } as const

// The `type` that body-parser and raw-body put on their errors. Their messages quote the body.
const bodyErrors: Readonly<Record<string, { code: ErrorCode; headers?: Record<string, string> }>> =
  {
    'charset.unsupported': { code: 'unsupported_media_type' },
    'encoding.unsupported': {
      code: 'unsupported_media_type',
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    },
    'entity.parse.failed': { code: 'malformed_json' },
    'entity.too.large': { code: 'payload_too_large', headers: close },
    'entity.verify.failed': { code: 'bad_request' },
    'parameters.too.many': { code: 'payload_too_large', headers: close },
    'querystring.parse.rangeError': { code: 'too_deep' },
    'request.aborted': { code: 'bad_request', headers: close },
    'request.size.invalid': { code: 'bad_request', headers: close },
    'stream.encoding.set': { code: 'internal_error' },
    'stream.not.readable': { code: 'internal_error' },
  }

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'validation_failed',
  428: 'precondition_required',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'service_unavailable',
  504: 'timeout',
}

export interface HttpErrorLike extends Error {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly type?: unknown
  readonly expose?: unknown
  readonly headers?: unknown
}

// A 4xx outside the catalogue becomes 400, as clients treat an unknown 4xx (RFC 9110 section 15.5).
export function fromHttpError(error: HttpErrorLike): ApiError | undefined {
  const status = error.status ?? error.statusCode
  if (typeof status !== 'number' || !(status >= 400 && status <= 599)) return undefined
  const body = typeof error.type === 'string' ? bodyErrors[error.type] : undefined
  if (body !== undefined) return new ApiError(body.code, { headers: body.headers, cause: error })
  const code = codesByStatus[status] ?? (status < 500 ? 'bad_request' : 'internal_error')
  return new ApiError(code, { ...exposed(error), cause: error })
}

// http-errors sets `expose` when its text is meant for the client.
function exposed(error: HttpErrorLike): ApiErrorOptions {
  const detail = error.expose === true && error.message !== '' ? error.message : undefined
  const { headers } = error
  if (typeof headers !== 'object' || headers === null) return { detail }
  const pairs = Object.entries(headers).filter(([, value]) => typeof value === 'string')
  return { detail, headers: Object.fromEntries(pairs) as Record<string, string> }
}
