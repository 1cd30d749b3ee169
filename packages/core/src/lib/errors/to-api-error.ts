import { types } from 'node:util'
import { ApiError } from './api-error.ts'
import { type ErrorCode } from './catalogue.ts'
import { fromDatabaseError } from './from-database-error.ts'
import { fromHttpError } from './from-http-error.ts'
import { createValidationError, toErrorItems, type ZodIssueLike } from './to-error-items.ts'

const codesByName: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries<ErrorCode>({
    TokenExpiredError: 'token_expired',
    JsonWebTokenError: 'invalid_token',
    NotBeforeError: 'invalid_token',
    URIError: 'invalid_encoding',
    TimeoutError: 'timeout',
  }),
)

// Any unknown value becomes `internal_error` with that value as cause. Pointers lead to members that the
// body has, if it is known.
export function toApiError(thrown: unknown, body?: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  try {
    if (!isError(thrown)) return new ApiError('internal_error', { cause: thrown })
    return fromKnown(thrown, body) ?? new ApiError('internal_error', { cause: thrown })
  } catch {
    // A getter or proxy of the thrown value threw.
    return new ApiError('internal_error')
  }
}

function fromKnown(error: Error, body: unknown): ApiError | undefined {
  const code = codesByName.get(error.name)
  if (code !== undefined) return new ApiError(code, { cause: error })
  if (error.name === 'AbortError') return fromAbort(error)
  return fromZodError(error) ?? fromDatabaseError(error, body) ?? fromHttpError(error)
}

// Recognised by name and shape: an app can load a second copy of Zod.
function fromZodError(error: Error & { readonly issues?: unknown }): ApiError | undefined {
  if (error.name !== 'ZodError' && error.name !== '$ZodError') return undefined
  if (!Array.isArray(error.issues)) return undefined
  const errors = toErrorItems(error.issues as readonly ZodIssueLike[], 'body')
  return createValidationError(errors, { cause: error })
}

function fromAbort(error: Error): ApiError {
  const late = isError(error.cause) && error.cause.name === 'TimeoutError'
  return new ApiError(late ? 'timeout' : 'service_unavailable', { cause: error })
}

function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}
