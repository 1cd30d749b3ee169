import { type output, type ZodType } from 'zod'
import { ApiError } from '../../errors/api-error.ts'
import { zodParseOptions } from '../../errors/describe-issue.ts'
import { countFaults, toErrorItems } from '../../errors/to-error-items.ts'

// Parses the input of a service as a route does its body. Throws ApiError `validation_failed`.
export function parseInput<S extends ZodType>(schema: S, input: unknown): output<S> {
  const result = schema.safeParse(input, zodParseOptions)
  if (result.success) return result.data
  const errors = toErrorItems(result.error.issues, 'body')
  throw new ApiError('validation_failed', { detail: countFaults(errors.length), errors })
}
