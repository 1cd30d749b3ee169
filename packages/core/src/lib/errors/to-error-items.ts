import { type ErrorItem } from './api-error.ts'

/** The part of a Zod issue that is read; both Zod's own issues and those of another copy have it. */
interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[] | undefined
  readonly format?: string | undefined
}

/**
 * Translates the issues of a Zod error: field and rule, never the value (Zod's raw issues carry
 * patterns and allowed values).
 * @param error - what `safeParse` found
 * @param error.issues - the issues
 * @param where - which part of the request was parsed
 * @returns one item for each fault
 */
export function toErrorItems(
  error: { readonly issues: readonly Issue[] },
  where: ErrorItem['in'],
): ErrorItem[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.keys
      ? issue.keys.map((key) => ({
          in: where,
          pointer: toPointer([...issue.path, key]),
          code: 'unrecognized_key',
          detail: where === 'query' ? 'is not known' : 'is not allowed',
        }))
      : [
          {
            in: where,
            pointer: toPointer(issue.path),
            code: issue.code ?? 'invalid',
            detail: issue.message,
          },
        ],
  )
}

/**
 * Writes a path as JSON Pointer in URI fragment form (RFC 6901 section 6).
 * @param path - property names and indexes
 * @returns `#` for the whole document, else `#/tags/0`
 */
export function toPointer(path: readonly PropertyKey[]): string {
  return ['#', ...path.map((key) => encodeURIComponent(escape(String(key))))].join('/')
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
