import { type Roles, type User } from './caller.ts'

/**
 * Who may call a route: anyone, anyone with the caller loaded if there are credentials (`optional`), any user, the owner of
 * the document, a role, or the users that a rule allows.
 */
export type Access = AccessWord | AccessRule

/** An access that is not a rule. */
export type AccessWord = 'public' | 'optional' | 'user' | 'owner' | keyof Roles

/**
 * Decides whether a user may call a route on a document; `false` is a 403. To hide that the document
 * exists, a rule throws `new ApiError('not_found')`.
 */
export type AccessRule<D = never> = (user: User, document: D) => boolean

// The name of an access in documents and listings; `rule` for a function.
export function toAccessName(access: Access): string {
  return typeof access === 'function' ? 'rule' : access
}

// Whether requests without credentials may pass.
export function isOpen(access: Access): access is 'public' | 'optional' {
  return access === 'public' || access === 'optional'
}

// The role that an access requires; undefined if any user may pass.
export function toRole(access: Access): keyof Roles | undefined {
  if (isOpen(access) || access === 'user' || access === 'owner') return undefined
  return typeof access === 'function' ? undefined : access
}

export function isAllowed(rule: AccessRule, user: User, document: object): boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `defineRoute` has checked that the rule was written for this type
  return rule(user, document as never)
}
