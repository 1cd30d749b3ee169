import { z, type ZodRawShape } from 'zod'
import { type Permission, type Role, type User } from '../../access/caller.ts'
import { type PermissionsOf } from './permissions.ts'
import { type StoredUser } from './user-store.ts'

/** A user in responses and in `req.user`. */
export type UserView = User & {
  /** What the roles permit, by `auth.roles`. */
  permissions: readonly Permission[]
  /** Whether the user has proved to own the address. */
  emailVerified: boolean
  /** Time of the registration. */
  createdAt: Date
}

export type ToUserView = (user: StoredUser) => UserView

// The view never contains the password hash.
export function createUserView(permissionsOf: PermissionsOf): ToUserView {
  return (user) => ({
    ...user.fields,
    id: user.id,
    email: user.email,
    roles: toRoles(user.roles),
    permissions: permissionsOf(user.roles),
    emailVerified: user.emailVerified,
    createdAt: user.createdAt,
  })
}

// `fields` are the application's own fields in responses.
export function createUserSchema(fields: ZodRawShape): z.ZodObject {
  return z
    .object({
      ...fields,
      id: z.string(),
      email: z.email(),
      roles: z.array(z.string()),
      permissions: z.array(z.string()),
      emailVerified: z.boolean(),
      createdAt: z.iso.datetime(),
    })
    .meta({ id: 'User' })
}

export function toRoles(roles: readonly string[]): readonly Role[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the compiler knows the names of roles, by declaration merging
  return roles as readonly Role[]
}
