import { ApiError } from '@create-api/core'
import { type FormattedError } from '@create-api/core/pipeline'
import { type Request } from 'express'
import { z } from 'zod'

export const errorBody = z.object({ errors: z.record(z.string(), z.array(z.string())) })

type Messages = Record<string, string[]>

/** Errors as lists of messages by field: `{ "errors": { "title": ["can't be blank"] } }`. */
export function formatError(error: ApiError, req: Request): FormattedError {
  return { contentType: 'application/json', body: { errors: toMessages(error, req.path) } }
}

function toMessages({ code, status, errors, detail, title }: ApiError, path: string): Messages {
  if (code === 'unauthenticated') return { token: ['is missing'] }
  if (code === 'invalid_credentials') return { credentials: ['invalid'] }
  if (code === 'forbidden') return { [toResource(path)]: ['forbidden'] }
  if (status === 401) return { token: ['is invalid'] }
  if (errors) return toLists(errors, status)
  return status === 404 ? { [toResource(path)]: ['not found'] } : { body: [detail ?? title] }
}

function toLists(errors: NonNullable<ApiError['errors']>, status: number): Messages {
  const messages: Messages = {}
  for (const { pointer, detail } of errors) {
    const name = pointer.split('/').at(-1) ?? 'body'
    messages[name] = [...(messages[name] ?? []), status === 409 ? 'has already been taken' : detail]
  }
  return messages
}

// What the path is about: `/api/articles/:slug/comments/:id` is about a comment.
function toResource(path: string): string {
  if (/\/comments\/./u.test(path)) return 'comment'
  const [, resource = 'body'] = /^\/api\/(article|profile)s\//u.exec(path) ?? []
  return resource
}

/** The article of a comment that does not exist. */
export function noArticle(): ApiError {
  const item = {
    in: 'params',
    pointer: '#/article',
    code: 'not_found',
    detail: 'not found',
  } as const
  return new ApiError('not_found', { errors: [item] })
}
