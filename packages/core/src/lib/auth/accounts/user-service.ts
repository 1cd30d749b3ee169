import { z } from 'zod'
import { ApiError } from '../../errors/api-error.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { toThrottleKeyOf } from '../users/identifier.ts'
import { parseInput } from '../../schemas/parse-input.ts'
import { type AuthRequest, type RequestFacts, toFacts } from '../events/request-facts.ts'
import { endDisabled } from './end-user.ts'
import { type PasswordDependencies, requireOwnPassword } from './password-service.ts'
import { changeRole, modifyUser, requireRoles, type RoleDependencies } from './user-roles.ts'
import {
  type OwnFieldName,
  type OwnFields,
  requireOwnFields,
  type ResolvedUserFields,
  toStoredFields,
  type UserFilter,
} from '../users/user-fields.ts'
import {
  type StoredUser,
  type UserChanges,
  type UserListOptions,
  type UserQuery,
} from '../users/user-store.ts'

/** Changes of a user by an administrator; what is left out or undefined stays as it is. */
export interface UserUpdate {
  /**
   * New e-mail address, in any case. It counts as unverified: a link to verify it is sent there, and a
   * notice to the old address.
   */
  readonly email?: string | undefined
  /** New password, without the old one. All sessions of the user end, except `keepSession`. */
  readonly password?: string | undefined
  /**
   * Id of the session that a new password does not end, where users set their own: `req.sessionId`.
   * @default undefined, none
   */
  readonly keepSession?: string | undefined
  /** All roles of the user. */
  readonly roles?: readonly string[] | undefined
  /** Whether the user is locked out. */
  readonly disabled?: boolean | undefined
  /** Whether the user has proved to own the address. */
  readonly emailVerified?: boolean | undefined
  /**
   * The application's own fields to change, validated by `userFields.input`. Null is stored, or removes a
   * field whose schema is optional and not nullable.
   */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Functions that find and change users. */
export interface Users {
  /**
   * Finds a user by id.
   * @param id - id of the user; text that is not an id finds none
   * @returns the user, or undefined
   */
  findById(id: string): Promise<StoredUser | undefined>
  /**
   * Finds a user by e-mail address.
   * @param email - the address, in any case; text that is not an address finds none
   * @returns the user, or undefined
   */
  findByEmail(email: string): Promise<StoredUser | undefined>
  /**
   * Finds a user by the identifier of the login: the address or another `identifier`.
   * @param value - the value, as at a login
   * @returns the user, or undefined
   */
  findByIdentifier(value: string): Promise<StoredUser | undefined>
  /**
   * Finds a user by the value of an own field, in the form of its schema. Where several have it, the first in the
   * order of their addresses.
   * @param field - name of the field in `userFields.model`
   * @param value - the value; an object is compared as a whole, and undefined finds none
   * @returns the user, or undefined
   * @throws TypeError for an own field that does not exist
   * @throws Error when a store of the application (`auth.users`) has no `findMany`
   */
  findBy<Name extends OwnFieldName>(
    field: Name,
    value: OwnFields[Name],
  ): Promise<StoredUser | undefined>
  /**
   * Finds users by their ids, or by values of own fields.
   * @param filter - ids, of which text that is not an id finds none; or the values, as for `findBy`: `{ plan: 'paid' }`
   * @param page - a limit, by default the number of the ids, or 100; and where the page starts
   * @returns the users in the order of their addresses
   * @throws ApiError `validation_failed` for an invalid page
   * @throws TypeError for an own field that does not exist, and for a filter without fields
   * @throws Error when a store of the application (`auth.users`) has no `findMany`
   */
  findMany(filter: readonly string[] | UserFilter, page?: UserPage): Promise<StoredUser[]>
  /**
   * Lists users in the order of their addresses.
   * @param options - a role, a limit, and where the page starts
   * @returns the users
   * @throws ApiError `validation_failed`
   * @throws Error when a store of the application (`auth.users`) has no `list`
   */
  list(options?: UserListOptions): Promise<StoredUser[]>
  /**
   * Changes a user without asking for the password: for administrators, and for the application.
   * @param id - id of the user
   * @param changes - the changes
   * @param request - the request that it belongs to, for the security events
   * @returns the changed user; undefined when there is none
   * @throws ApiError `validation_failed`, `password_too_common`, `email_taken` or `overloaded`;
   * `last_administrator` when no other enabled user is an administrator; `conflict` when other requests
   * keep changing the user
   * @throws TypeError for an own field that does not exist
   */
  update(id: string, changes: UserUpdate, request?: AuthRequest): Promise<StoredUser | undefined>
  /**
   * Gives a user a role; nothing changes for a user who has it.
   * @param id - id of the user
   * @param role - name of the role
   * @param request - the request that it belongs to; its caller is the actor in the security event
   * @returns the user; undefined when there is none
   * @throws ApiError `validation_failed` for a role that `auth.roles` does not define
   */
  grantRole(id: string, role: string, request?: AuthRequest): Promise<StoredUser | undefined>
  /**
   * Takes a role from a user; nothing changes for a user who does not have it.
   * @param id - id of the user
   * @param role - name of the role
   * @param request - the request that it belongs to; its caller is the actor in the security event
   * @returns the user; undefined when there is none
   * @throws ApiError `last_administrator` when no other enabled user is an administrator, or
   * `validation_failed` for an unknown role
   */
  revokeRole(id: string, role: string, request?: AuthRequest): Promise<StoredUser | undefined>
}

/** Which of the users that match are returned. */
export interface UserPage extends Pick<UserListOptions, 'limit' | 'after'> {}

const userPage = z.strictObject({
  limit: z.int().min(1).max(10_000).optional(),
  after: z.string().optional(),
})
const listOptions = userPage.extend({ role: z.string().optional() })
const usualLimit = 100

export interface UserDependencies extends PasswordDependencies, RoleDependencies {
  readonly settings: PasswordDependencies['settings'] &
    RoleDependencies['settings'] & {
      readonly now: () => number
      readonly userFields: ResolvedUserFields
    }
}

export function createUsers(use: () => UserDependencies, schemas: RouteSchemas): Users {
  const change = async (
    id: string,
    wanted: { readonly role: string; readonly granted: boolean },
    request: AuthRequest | undefined,
  ): Promise<StoredUser | undefined> =>
    changeRole(use(), id, wanted, toFacts(request, use().settings.now()))
  return {
    ...createSearch(use, schemas),
    update: async (id, changes, request) => {
      const dependencies = use()
      const { settings } = dependencies
      const parsed = parseChanges(schemas, settings.userFields, changes)
      return updateUser(dependencies, id, parsed, toFacts(request, settings.now()))
    },
    grantRole: (id, role, request) => change(id, { role, granted: true }, request),
    revokeRole: (id, role, request) => change(id, { role, granted: false }, request),
  }
}

function createSearch(
  use: () => UserDependencies,
  schemas: RouteSchemas,
): Omit<Users, 'update' | 'grantRole' | 'revokeRole'> {
  return {
    findById: async (id) => use().users.findById(id),
    async findByEmail(email) {
      const { users } = use()
      const { success, data } = schemas.email.safeParse(email)
      return success ? (await users.findCredentials(data))?.user : undefined
    },
    async findByIdentifier(value) {
      const { users, settings } = use()
      const field = schemas.login.shape[settings.identifier]
      const { success, data } = z.safeParse(field ?? schemas.email, value)
      if (!success) return undefined
      return (await users.findCredentials(String(data), settings.identifier))?.user
    },
    async findBy(field, value) {
      const [user] = await find(use(), { fields: { [field]: value }, limit: 1 })
      return user
    },
    async findMany(filter, page = {}) {
      const { limit, after } = parseInput(userPage, page)
      if (isList(filter)) {
        if (filter.length === 0) return []
        return find(use(), { ids: filter, limit: limit ?? filter.length, after })
      }
      if (Object.keys(filter).length === 0) {
        throw new TypeError(
          'users.findMany() has no field to compare. Use users.list for all users.',
        )
      }
      return find(use(), { fields: filter, limit: limit ?? usualLimit, after })
    },
    async list(options = {}) {
      const { users } = use()
      if (!users.list) throw new Error('The store of users (auth.users) has no method list.')
      const { limit = usualLimit, ...query } = parseInput(listOptions, options)
      return users.list({ ...query, limit })
    },
  }
}

function isList(filter: readonly string[] | UserFilter): filter is readonly string[] {
  return Array.isArray(filter)
}

async function find(
  { users, settings: { userFields } }: UserDependencies,
  { fields, ...query }: UserQuery,
): Promise<StoredUser[]> {
  if (!users.findMany) throw new Error('The store of users (auth.users) has no method findMany.')
  if (!fields) return users.findMany(query)
  requireOwnFields(userFields, Object.keys(fields))
  // The database would find users without the field.
  if (Object.values(fields).includes(undefined)) return []
  const values = Object.entries(fields).map(([name, value]) => {
    const { data = value } = z.safeParse(userFields.input[name] ?? z.unknown(), value)
    return [name, data]
  })
  return users.findMany({ ...query, fields: Object.fromEntries(values) })
}

function parseChanges(
  schemas: RouteSchemas,
  userFields: ResolvedUserFields,
  { email, password, keepSession, roles, disabled, emailVerified, fields = {} }: UserUpdate,
): UserUpdate {
  const own = parseFields(schemas, userFields, fields)
  return {
    keepSession,
    ...(roles !== undefined && { roles }),
    ...(disabled !== undefined && { disabled }),
    ...(emailVerified !== undefined && { emailVerified }),
    ...(email !== undefined && parseInput(schemas.emailOnly, { email })),
    ...(password !== undefined && parseInput(schemas.passwordOnly, { password })),
    ...(Object.keys(own).length > 0 && { fields: own }),
  }
}

// Own fields without a schema for input, such as a plan, are changed by the application only: the
// model checks them.
function parseFields(
  schemas: RouteSchemas,
  userFields: ResolvedUserFields,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  requireOwnFields(userFields, Object.keys(fields))
  return toStoredFields(userFields.input, {
    ...fields,
    ...parseInput(schemas.fieldChanges, fields),
  })
}

// Changes the own fields of a user who asks for it, validated. Throws ApiError `session_revoked` when
// the user no longer exists.
export async function updateOwnFields(
  dependencies: UserDependencies,
  userId: string,
  { currentPassword, ...changes }: Readonly<Record<string, unknown>>,
  facts: RequestFacts,
): Promise<StoredUser> {
  const { users, events, settings } = dependencies
  const { identifier, userFields } = settings
  const fields = toStoredFields(userFields.input, changes)
  const before = await users.findById(userId)
  if (!before) throw new ApiError('session_revoked')
  if (Object.hasOwn(fields, identifier) && fields[identifier] !== before.fields[identifier]) {
    if (typeof currentPassword !== 'string') throw createMissingPassword(identifier)
    await requireOwnPassword(dependencies, userId, currentPassword, facts)
  }
  const names = Object.keys(fields)
  if (names.length > 0 && (await users.update(userId, { fields }))) {
    events.emit('auth.user_updated', facts, { userId, reason: names.join(' ') })
  }
  const user = await users.findById(userId)
  if (!user) throw new ApiError('session_revoked')
  return user
}

function createMissingPassword(identifier: string): ApiError {
  const detail = `is required to change ${identifier}`
  return new ApiError('validation_failed', {
    detail: `currentPassword ${detail}.`,
    errors: [{ in: 'body', pointer: '#/currentPassword', code: 'invalid_type', detail }],
  })
}

async function updateUser(
  dependencies: UserDependencies,
  id: string,
  { password, keepSession, email, ...changes }: UserUpdate,
  facts: RequestFacts,
): Promise<StoredUser | undefined> {
  const { users, events } = dependencies
  const before = await users.findById(id)
  if (!before) return undefined
  const isMoved = email !== undefined && email !== before.email
  const stored: UserChanges = {
    ...changes,
    ...(isMoved && { email, emailVerified: changes.emailVerified ?? false }),
    ...(password !== undefined && {
      passwordHash: await hashNew(dependencies, password, email ?? before.email),
    }),
  }
  if (Object.keys(stored).length === 0) return before
  const decide = ({ roles }: StoredUser): UserChanges => {
    requireRoles(dependencies, stored.roles, '#/roles', roles)
    return stored
  }
  if (!(await modifyUser(dependencies, id, decide, facts))) return undefined
  const reason = toNames(stored).join(' ')
  events.emit('auth.user_updated', facts, { userId: id, reason })
  if (stored.disabled === true) await endDisabled(id)
  if (password !== undefined) await endSessions(dependencies, before, keepSession, facts)
  return isMoved ? announceMove(dependencies, before) : users.findById(id)
}

// The names of what was changed; never a value.
function toNames({ fields = {}, passwordHash, ...rest }: UserChanges): string[] {
  const names = [...Object.keys(rest), ...Object.keys(fields)]
  return passwordHash === undefined ? names : [...names, 'password']
}

async function hashNew(
  { policy, hasher }: Pick<UserDependencies, 'hasher' | 'policy'>,
  password: string,
  email: string,
): Promise<string> {
  await policy.requireUncommon(password, email, '#/password')
  return hasher.hash(password)
}

async function endSessions(
  { sessions, signIn, mail, throttle, events, settings }: UserDependencies,
  user: StoredUser,
  except: string | undefined,
  facts: RequestFacts,
): Promise<void> {
  const { id } = user
  await sessions.revokeAll(id, { reason: 'password-changed', except })
  await signIn?.endLogins(id)
  await mail?.tokens.removeAll(id)
  await throttle.clear(toThrottleKeyOf(settings.identifier, user))
  events.emit('auth.password_changed', facts, { userId: id })
}

// Links that were sent to the old address are no longer valid.
async function announceMove(
  { mail, users }: Pick<UserDependencies, 'mail' | 'users'>,
  before: StoredUser,
): Promise<StoredUser | undefined> {
  const after = await users.findById(before.id)
  if (!after || !mail) return after
  await mail.tokens.removeAll(after.id)
  mail.deliver('email-changed', before.email, async () => before)
  if (!after.emailVerified) mail.deliver('verify-email', after.email, async () => after)
  return after
}
