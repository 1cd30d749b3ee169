import { z, type ZodRawShape } from 'zod'
import { type User } from '../routing/caller.ts'
import { type StoredUser } from './user-store.ts'

/** A user as answers and `req.user` show one. */
export type UserView = User & {
  /** Whether the address is known to be the user's. */
  emailVerified: boolean
  /** When the user registered. */
  createdAt: Date
}

/**
 * Makes what answers and `req.user` show of a user; never the hash.
 * @param user - as stored
 * @returns the view, with the application's own fields
 */
export function toUserView(user: StoredUser): UserView {
  return {
    ...user.fields,
    id: user.id,
    email: user.email,
    role: toRole(user.role),
    emailVerified: user.emailVerified,
    createdAt: user.createdAt,
  }
}

/**
 * The schema of a user in answers.
 * @param fields - the application's own fields
 * @returns the schema
 */
export function createUserSchema(fields: ZodRawShape = {}): z.ZodObject {
  return z
    .object({
      ...fields,
      id: z.string(),
      email: z.email(),
      role: z.string(),
      emailVerified: z.boolean(),
      createdAt: z.iso.datetime(),
    })
    .meta({ id: 'User' })
}

/**
 * Types the name of a role.
 * @param role - as stored
 * @returns the same
 */
export function toRole(role: string): User['role'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of roles are known to the compiler only, by declaration merging
  return role as User['role']
}
