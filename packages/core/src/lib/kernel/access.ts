import { type Roles, type User } from './caller.ts'

/** Who may call a route: anyone, any user, the owner of the document, a role, or the users that a rule allows. */
export type Access = 'public' | 'user' | 'owner' | keyof Roles | AccessRule

/**
 * Decides whether a user may call a route on a document; `false` is a 403. To hide that the document
 * exists, a rule throws `new ApiError('not_found')`.
 */
export type AccessRule<D = never> = (user: User, document: D) => boolean

// The name of an access in documents and listings; `rule` for a function.
export function toAccessName(access: Access): string {
  return typeof access === 'function' ? 'rule' : access
}

// The role that an access requires; undefined if any user may pass.
export function toRole(access: Access): keyof Roles | undefined {
  const isRole = access !== 'public' && access !== 'user' && access !== 'owner'
  return isRole && typeof access !== 'function' ? access : undefined
}

export function isAllowed(rule: AccessRule, user: User, document: object): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `defineRoute` has checked that the rule was written for this type
  return rule(user, document as never)
}
