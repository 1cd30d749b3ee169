import { type ErrorItem } from './api-error.ts'
import { toPointer } from './to-pointer.ts'

// More than a person reads, and a bound for the answer to a hostile body.
const mostItems = 50

/** One issue of a Zod error, as far as it is needed here; fits any copy of Zod 4. */
export interface ZodIssueLike {
  /** The rule that failed. */
  readonly code?: string | undefined
  /** From the root to the value. */
  readonly path: readonly PropertyKey[]
  /** The text of the schema or of Zod. */
  readonly message: string
  /** The unknown keys, when `code` is `unrecognized_keys`. */
  readonly keys?: readonly string[] | undefined
  /** The format, when `code` is `invalid_format`. */
  readonly format?: string | undefined
}

/**
 * Turns the issues of Zod into the `errors` of a problem: field and rule, never the value.
 * @param issues - the issues of one Zod error
 * @param where - the part of the request that was parsed
 * @returns at most 50 items
 */
export function toErrorItems(
  issues: readonly ZodIssueLike[],
  where: ErrorItem['in'],
): readonly ErrorItem[] {
  const items: ErrorItem[] = []
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys?.slice(0, mostItems) ?? []
      for (const key of keys) items.push(unknownKey([...issue.path, key], where))
    } else {
      items.push({
        in: where,
        pointer: toPointer(issue.path),
        code: issue.code ?? 'custom',
        detail: safeMessage(issue),
      })
    }
    if (items.length >= mostItems) break
  }
  return items.length > mostItems ? items.slice(0, mostItems) : items
}

/**
 * Says how many fields are at fault: the `detail` of a failed validation.
 * @param count - number of items
 * @returns one sentence
 */
export function countFaults(count: number): string {
  return count === 1 ? '1 field is not valid.' : `${count} fields are not valid.`
}

function unknownKey(path: readonly PropertyKey[], where: ErrorItem['in']): ErrorItem {
  return { in: where, pointer: toPointer(path), code: 'unrecognized_key', detail: 'is not allowed' }
}

// Zod's own text for a pattern spells the pattern out.
function safeMessage(issue: ZodIssueLike): string {
  return issue.message.startsWith('Invalid string: must match pattern')
    ? 'does not have the required form'
    : issue.message
}
