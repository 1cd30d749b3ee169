import { type output, type ZodType } from 'zod'
import { createValidationError, toErrorItems } from '../errors/to-error-items.ts'
import { parseValue } from './parse-value.ts'

// Parses the input of a service as a route does its body. Throws ApiError `validation_failed`.
export function parseInput<S extends ZodType>(schema: S, input: unknown): output<S> {
  const { issues, value } = parseValue(schema, input)
  if (!issues) return value
  throw createValidationError(toErrorItems(issues, 'body'))
}
