import { type Permission } from '../../access/caller.ts'
import { type PermissionsOf } from '../users/permissions.ts'
import { type UserView } from '../users/user-view.ts'

// What an owner can grant to a key: own roles and permissions, and what every user may do.
export function toGrantable({ permissions, roles }: UserView): readonly string[] {
  return ['user', ...roles, ...permissions]
}

// The owner, as far as the scopes of a key allow. Both are those of now: what the owner loses, the key
// loses.
export function narrowUser(
  user: UserView,
  scopes: readonly string[],
  permissionsOf: PermissionsOf,
): UserView {
  const roles = user.roles.filter((role) => scopes.includes(role))
  const ofRoles = permissionsOf(roles)
  const isGranted = (permission: Permission): boolean =>
    scopes.includes(permission) || ofRoles.includes(permission)
  return { ...user, roles, permissions: user.permissions.filter(isGranted) }
}
