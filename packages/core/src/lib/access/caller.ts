/**
 * Names of the roles; extend it by declaration merging: `interface Roles { editor: true }`, or
 * `interface Roles extends RoleNames<typeof roles> {}`.
 */
export interface Roles {
  /** The role of administrators, which every API has. */
  admin: true
}

/**
 * Names of the permissions; extend it by declaration merging:
 * `interface Permissions extends PermissionNames<typeof roles> {}`.
 */
export interface Permissions {}

/** Name of a permission: one of {@link Permissions}, or any text where there are none. */
export type Permission = [keyof Permissions] extends [never] ? string : keyof Permissions

/** Name of a role. */
export type Role = keyof Roles

/** The caller of a guarded route; extend it by declaration merging. */
export interface User {
  /** Opaque identifier. */
  id: string
  /** Canonical e-mail address. */
  email: string
  /** The caller's roles; empty for an ordinary user. */
  roles: readonly Role[]
  /**
   * The permissions of the roles, by `auth.roles`. An authenticator of the application sets them itself:
   * `permissions: roles.permissionsOf(names)`.
   * @default []
   */
  permissions?: readonly Permission[] | undefined
}
