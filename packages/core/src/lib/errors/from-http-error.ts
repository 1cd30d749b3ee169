import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import { ApiError, type ApiErrorOptions } from './api-error.ts'
import { type ErrorCode, type ErrorDefinition } from './catalogue.ts'

const close = { Connection: 'close' } as const

// The `type` that body-parser and raw-body put on their errors. Their messages quote the body.
const bodyErrors: ReadonlyMap<string, { code: ErrorCode; headers?: Record<string, string> }> =
  new Map(
    Object.entries<{ code: ErrorCode; headers?: Record<string, string> }>({
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
    }),
  )

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
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
  500: 'internal_error',
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

// A status outside the catalogue keeps its number; its code and title are those of the status.
export function fromHttpError(error: HttpErrorLike): ApiError | undefined {
  const status = [error.status, error.statusCode].find(isErrorStatus)
  if (status === undefined) return undefined
  const body = typeof error.type === 'string' ? bodyErrors.get(error.type) : undefined
  if (body !== undefined) return new ApiError(body.code, { headers: body.headers, cause: error })
  return new ApiError(codesByStatus[status] ?? define(status), { ...exposed(error), cause: error })
}

function isErrorStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599
}

// 410 is `gone`, "Gone."; 418 is `im_a_teapot`.
function define(status: number): ErrorDefinition {
  const phrase = STATUS_CODES[status] ?? `Status ${status}`
  const words = phrase.toLowerCase()
  return {
    code: words.replaceAll("'", '').replaceAll(/\W+/g, '_'),
    status,
    title: `${phrase.charAt(0)}${words.slice(1)}.`,
  }
}

// http-errors sets `expose` when its text is meant for the client.
function exposed(error: HttpErrorLike): ApiErrorOptions {
  const detail = error.expose === true && error.message !== '' ? error.message : undefined
  const { headers } = error
  if (typeof headers !== 'object' || headers === null) return { detail }
  return { detail, headers: Object.fromEntries(Object.entries(headers).flatMap(toHeader)) }
}

// Without those that Node would reject.
function toHeader([name, value]: [string, unknown]): [string, string | string[]][] {
  try {
    const texts = Array.isArray(value) ? value.map(String) : String(value)
    validateHeaderName(name)
    for (const text of [texts].flat()) validateHeaderValue(name, text)
    return [[name, texts]]
  } catch {
    return []
  }
}
