import { ApiError, type ErrorItem } from './api-error.ts'
import { type ErrorCode } from './catalogue.ts'
import { toPointer } from './to-pointer.ts'

// Bounds the response to a hostile body.
const maxItems = 50

export interface ZodIssueLike {
  /** The rule that failed. */
  readonly code?: string | undefined
  /** Keys from the root to the value. */
  readonly path: readonly PropertyKey[]
  /** The text from the schema or from Zod. */
  readonly message: string
  /** The unknown keys, when `code` is `unrecognized_keys`. */
  readonly keys?: readonly string[] | undefined
  /** The format, when `code` is `invalid_format`. */
  readonly format?: string | undefined
}

export function toErrorItems(
  issues: readonly ZodIssueLike[],
  where: ErrorItem['in'],
): readonly ErrorItem[] {
  const items: ErrorItem[] = []
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys?.slice(0, maxItems) ?? []
      for (const key of keys) items.push(unknownKey([...issue.path, key], where))
    } else {
      items.push({
        in: where,
        pointer: toPointer(issue.path),
        code: issue.code ?? 'custom',
        detail: safeMessage(issue),
      })
    }
    if (items.length >= maxItems) break
  }
  return items.length > maxItems ? items.slice(0, maxItems) : items
}

export function createValidationError(
  errors: readonly ErrorItem[],
  { cause, code = 'validation_failed' }: { cause?: unknown; code?: ErrorCode } = {},
): ApiError {
  const { length } = errors
  const detail = length === 1 ? '1 field is not valid.' : `${length} fields are not valid.`
  return new ApiError(code, { detail, errors, cause })
}

function unknownKey(path: readonly PropertyKey[], where: ErrorItem['in']): ErrorItem {
  return { in: where, pointer: toPointer(path), code: 'unrecognized_key', detail: 'is not allowed' }
}

// Zod's own text for a pattern quotes the pattern.
function safeMessage(issue: ZodIssueLike): string {
  return issue.message.startsWith('Invalid string: must match pattern')
    ? 'does not have the required form'
    : issue.message
}
