import { type Roles, type User } from './caller.ts'

/**
 * Who may call a route: anyone, a user, the owner of the document, a role, or whom a rule lets
 * through.
 */
export type Access = 'public' | 'user' | 'owner' | keyof Roles | AccessRule

/**
 * Decides whether a user may call a route on a document; `false` is a 403. A rule that shall not
 * tell that the document exists throws `new ApiError('not_found')` instead.
 */
export type AccessRule<D = never> = (user: User, document: D) => boolean

/**
 * Names an access in documents and listings.
 * @param access - of a route
 * @returns the word, or `rule` for a function
 */
export function toAccessName(access: Access): string {
  return typeof access === 'function' ? 'rule' : access
}

/**
 * Finds the role that an access asks for.
 * @param access - of a route
 * @returns the role; undefined when any user may pass so far
 */
export function toRole(access: Access): keyof Roles | undefined {
  const isRole = access !== 'public' && access !== 'user' && access !== 'owner'
  return isRole && typeof access !== 'function' ? access : undefined
}

/**
 * Asks a rule about a document.
 * @param rule - the rule
 * @param user - the caller
 * @param document - of the type that the rule was written for, as `defineRoute` has checked
 * @returns what the rule says
 */
export function isAllowed(rule: AccessRule, user: User, document: object): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see the parameter
  return rule(user, document as never)
}
