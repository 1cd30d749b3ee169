import { type output, type ZodType } from 'zod'
import { zodParseOptions } from '../errors/describe-issue.ts'
import { createValidationError, toErrorItems } from '../errors/to-error-items.ts'

// Parses the input of a service as a route does its body. Throws ApiError `validation_failed`.
export function parseInput<S extends ZodType>(schema: S, input: unknown): output<S> {
  const result = schema.safeParse(input, zodParseOptions)
  if (result.success) return result.data
  throw createValidationError(toErrorItems(result.error.issues, 'body'))
}
