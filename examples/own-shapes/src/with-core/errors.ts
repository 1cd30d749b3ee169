import { type ApiError } from '@create-api/core'
import { type FormattedError } from '@create-api/core/pipeline'
import { z } from 'zod'

export const errorBody = z.object({ errors: z.record(z.string(), z.array(z.string())) })

/** Errors as lists of messages by field: `{ "errors": { "title": ["is missing"] } }`. */
export function formatError(error: ApiError): FormattedError {
  const errors: Record<string, string[]> = {}
  for (const { pointer, detail } of error.errors ?? []) {
    const name = pointer.split('/').at(-1) ?? 'body'
    errors[name] = [...(errors[name] ?? []), detail]
  }
  if (error.errors === undefined) errors['body'] = [error.detail ?? error.title]
  return { contentType: 'application/json', body: { errors } }
}
