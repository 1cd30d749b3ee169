import { type AccessWord } from '../../access/access.ts'
import { type Permission, type Role } from '../../access/caller.ts'

/** Roles with their permissions, created by {@link defineRoles}. */
export interface DefinedRoles<Lists extends RoleLists = RoleLists> {
  /** The permissions of each role. */
  readonly permissions: Lists
  /**
   * Returns what roles permit together; a role that is not defined permits nothing.
   * @param roles - names of roles
   * @returns the permissions, each once
   */
  permissionsOf(roles: readonly string[]): readonly Permission[]
}

type RoleLists = Readonly<Record<string, readonly string[]>>

// Without the function, whose type refers to the names themselves.
interface ByRole {
  readonly permissions: RoleLists
}

/** The names of defined roles: `interface Roles extends RoleNames<typeof roles> {}`. */
export type RoleNames<Defined extends ByRole> = {
  [Name in keyof Defined['permissions']]: true
}

/** The names of their permissions: `interface Permissions extends PermissionNames<typeof roles> {}`. */
export type PermissionNames<Defined extends ByRole> = {
  [Name in Defined['permissions'][keyof Defined['permissions']][number]]: true
}

/**
 * Defines the roles of an API and what each of them permits, once: for `auth.roles` and the rule
 * `permission('posts:write')`. Permissions are names that are compared as they are; there are no
 * wildcards.
 * @param permissions - the permissions of each role: `{ editor: ['posts:write', 'posts:publish'] }`
 * @returns the roles, frozen
 * @throws TypeError for a name that cannot be used
 * @example
 * ```ts
 * export const roles = defineRoles({
 *   author: ['posts:write'],
 *   editor: ['posts:write', 'posts:publish'],
 * })
 *
 * createApi({ routes, auth: { roles } })
 * ```
 */
export function defineRoles<const Lists extends RoleLists>(
  permissions: Lists,
): DefinedRoles<Lists> {
  const lists: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(permissions))
  for (const [role, list] of lists) requireNames(role, list)
  requireDistinct(lists)
  return Object.freeze({
    permissions,
    permissionsOf(roles: readonly string[]): readonly Permission[] {
      return Object.freeze([...new Set(roles.flatMap((role) => lists.get(role) ?? []))])
    },
  })
}

// Accesses that are not roles.
const words: readonly string[] = ['public', 'optional', 'user', 'owner'] satisfies Exclude<
  AccessWord,
  Role
>[]

// Whether a user can be given a role of this name.
export function isRoleName(name: string): boolean {
  return /^[A-Za-z][\w-]{0,63}$/.test(name) && !words.includes(name)
}

// The role of administrators must be one that users can have.
export function findAdminRoleFault({
  adminRole = 'admin',
  roles,
}: {
  readonly adminRole?: string | undefined
  readonly roles?: DefinedRoles | undefined
}): string | undefined {
  if (!roles) return undefined
  if (Object.values(roles.permissions).flat().includes(adminRole)) {
    return `is '${adminRole}', which is also a permission in auth.roles: give the permission another name`
  }
  if (adminRole === 'admin' || Object.hasOwn(roles.permissions, adminRole)) return undefined
  return `is '${adminRole}', which auth.roles does not define: add it there`
}

// Throws TypeError for what `defineRoles` has not made.
export function requireDefined(roles: unknown): void {
  const made: Partial<DefinedRoles> = Object(roles)
  if (typeof made.permissionsOf === 'function') return
  throw new TypeError("must be made by defineRoles({ editor: ['posts:write'] })")
}

// The scopes of an API key are roles, permissions and `user`, so a name must mean one of them.
function requireDistinct(lists: ReadonlyMap<string, readonly string[]>): void {
  for (const [role, permissions] of lists) {
    const wrong = permissions.find((name) => lists.has(name) || words.includes(name))
    if (wrong === undefined) continue
    const reason = lists.has(wrong) ? 'is also a role' : 'is an access of every API'
    throw new TypeError(
      `defineRoles(): the permission '${wrong}' of '${role}' ${reason}. Give it another name, such as '${wrong}:write'.`,
    )
  }
}

const permissionName = /^[A-Za-z][\w.-]*(?::[\w.-]+)*$/

function requireNames(role: string, permissions: unknown): void {
  if (words.includes(role)) {
    throw new TypeError(
      `defineRoles(): '${role}' is an access of every API, so no role can have this name.`,
    )
  }
  if (!isRoleName(role)) {
    throw new TypeError(
      `defineRoles(): '${role}' cannot be the name of a role. Use at most 64 letters, digits, _ and -, beginning with a letter.`,
    )
  }
  if (!Array.isArray(permissions)) {
    throw new TypeError(
      `defineRoles(): the permissions of '${role}' must be a list, such as ['posts:write'].`,
    )
  }
  const wrong = permissions.map(String).find((name) => !permissionName.test(name))
  if (wrong === undefined) return
  throw new TypeError(
    `defineRoles(): '${wrong}' of '${role}' cannot be a permission. Use words joined by colons, such as 'posts:write'; there are no wildcards.`,
  )
}
