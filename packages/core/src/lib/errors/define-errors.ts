import { channel } from 'node:diagnostics_channel'
import { catalogue, type ErrorDefinition } from './catalogue.ts'

// The command line subscribes, to know the codes of an application.
const errorsDeclared = channel('create-api:errors')

/**
 * Declares the error codes of an application. Throw one with `new ApiError(errors.quota_exceeded)`, and
 * name it in the `errors` of the routes that return it, for the OpenAPI document.
 * @param definitions - status, 400 to 599, and title of each code
 * @returns the definitions by code
 * @throws TypeError for a code of the framework, and for a code, status or title that is not valid
 * @example
 * ```ts
 * export const errors = defineErrors({
 *   quota_exceeded: { status: 402, title: 'The quota of the account is used up.' },
 * })
 *
 * throw new ApiError(errors.quota_exceeded)
 * ```
 */
export function defineErrors<Code extends string>(
  definitions: Readonly<Record<Code, Omit<ErrorDefinition, 'code'>>>,
): { readonly [Key in Code]: ErrorDefinition } {
  const entries = Object.entries<Omit<ErrorDefinition, 'code'>>(definitions)
  const defined = entries.map(([code, { status, title }]) => {
    requireValid(code, status, title)
    return [code, { code, status, title }] as const
  })
  errorsDeclared.publish(defined.map(([, definition]) => definition))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the definitions
  return Object.fromEntries(defined) as Record<Code, ErrorDefinition>
}

function requireValid(code: string, status: number, title: string): void {
  if (Object.hasOwn(catalogue, code)) {
    throw new TypeError(`The error code '${code}' is one of the framework's. Choose another name.`)
  }
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code)) {
    throw new TypeError(`The error code '${code}' is not valid. Write it as 'quota_exceeded'.`)
  }
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError(`The status of the error code '${code}' must be from 400 to 599.`)
  }
  if (typeof title !== 'string' || title === '') {
    throw new TypeError(`The error code '${code}' needs a title: 'The quota is used up.'`)
  }
}
