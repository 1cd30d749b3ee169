import { type Request } from 'express'
import { ApiError } from './api-error.ts'

export function createMediaTypeError(req: Request, types: readonly string[]): ApiError {
  const name = req.method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post'
  return new ApiError('unsupported_media_type', {
    detail: `Content-Type must be ${types.join(' or ')}.`,
    headers: { [name]: types.join(', ') },
  })
}

export function createSizeError(limit: number): ApiError {
  return new ApiError('payload_too_large', { detail: `At most ${limit} bytes are allowed.` })
}

export function createIncompleteError(): ApiError {
  return new ApiError('bad_request', { detail: 'The body is incomplete.' })
}
