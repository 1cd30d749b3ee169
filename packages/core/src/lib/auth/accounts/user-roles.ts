import { ApiError } from '../../errors/api-error.ts'
import { closestName } from '../../options/closest-name.ts'
import { type DefinedRoles, isRoleName } from '../users/define-roles.ts'
import { type SecurityEvents } from '../events/security-events.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import { type StoredUser, type UserChanges, type UserStore } from '../users/user-store.ts'

export interface RoleDependencies {
  readonly settings: {
    readonly adminRole: string
    readonly roles: DefinedRoles | undefined
  }
  readonly users: UserStore
  readonly events: SecurityEvents
}

type Change = UserChanges | 'remove'

const maxAttempts = 20

// Changes or removes a user by what is stored, reports the roles that changed, and returns what was stored;
// undefined when there is no such user. Decides again when the user was changed in the meantime. Throws
// ApiError `last_administrator`.
export async function modifyUser(
  dependencies: RoleDependencies,
  id: string,
  decide: (user: StoredUser) => Change | undefined,
  facts: Partial<RequestFacts> = {},
): Promise<StoredUser | undefined> {
  const { users, settings } = dependencies
  const { adminRole } = settings
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const user = await users.findById(id)
    if (!user) return undefined
    const change = decide(user)
    if (change === undefined) return user
    // The administrator that remains is touched first: should it stop being one at the same time, its own
    // change finds another revision (decision 069).
    if (isAdmin(user, adminRole) && !isAdmin(toChanged(user, change), adminRole)) {
      if ((await users.touchOther?.(id, adminRole)) === false)
        throw new ApiError('last_administrator')
    }
    if (await write(users, user, change)) {
      const { roles: after } = toChanged(user, change)
      if (change !== 'remove') reportRoles(dependencies, id, { before: user.roles, after }, facts)
      return user
    }
    await pause(Math.random() * 2 ** Math.min(attempt, 6))
  }
  throw new ApiError('conflict', { detail: 'The user is being changed by other requests.' })
}

type State = Pick<StoredUser, 'roles' | 'disabled'>

function isAdmin({ roles, disabled }: State, adminRole: string): boolean {
  return !disabled && roles.includes(adminRole)
}

function toChanged(user: StoredUser, change: Change): State {
  if (change === 'remove') return { roles: [], disabled: true }
  const { roles = user.roles, disabled = user.disabled } = change
  return { roles, disabled }
}

function write(users: UserStore, { id, revision }: StoredUser, change: Change): Promise<boolean> {
  const current = revision === undefined ? undefined : { revision }
  return change === 'remove' ? users.remove(id, current) : users.update(id, change, current)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

// Adds a role to those of a user, or takes it away; undefined when there is no such user.
export async function changeRole(
  dependencies: RoleDependencies,
  id: string,
  { role, granted }: { readonly role: string; readonly granted: boolean },
  facts: RequestFacts,
): Promise<StoredUser | undefined> {
  const decide = ({ roles }: StoredUser): UserChanges | undefined => {
    requireRoles(dependencies, [role], '#/role', roles)
    if (roles.includes(role) === granted) return undefined
    return { roles: granted ? [...roles, role] : roles.filter((name) => name !== role) }
  }
  return (await modifyUser(dependencies, id, decide, facts)) && dependencies.users.findById(id)
}

// Throws ApiError `validation_failed` for a role that a user cannot be given. What is stored stays possible:
// it may have been defined before.
export function requireRoles(
  { settings }: Pick<RoleDependencies, 'settings'>,
  roles: readonly string[] | undefined,
  pointer: '#/role' | '#/roles',
  stored: readonly string[] = [],
): void {
  const { adminRole, roles: defined } = settings
  const known = defined && [...new Set([...Object.keys(defined.permissions), adminRole])]
  const wrong = roles?.find(
    (role) => !stored.includes(role) && !(known?.includes(role) ?? isRoleName(role)),
  )
  if (wrong === undefined) return
  const detail = `'${wrong}' is not a role${known ? suggest(wrong, known) : ''}`
  throw new ApiError('validation_failed', {
    detail,
    errors: [{ in: 'body', pointer, code: 'unknown_role', detail }],
  })
}

function suggest(wrong: string, known: readonly string[]): string {
  const close = closestName(wrong, known)
  return close === undefined ? `; the roles are ${known.join(', ')}` : `; did you mean '${close}'?`
}

// Each role that a user has been given or has lost is an event.
export function reportRoles(
  { events }: Pick<RoleDependencies, 'events'>,
  userId: string,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  facts: Partial<RequestFacts>,
): void {
  const details = { userId, actorId: facts.callerId }
  for (const role of after.filter((name) => !before.includes(name))) {
    events.emit('auth.role_granted', facts, { ...details, reason: role })
  }
  for (const role of before.filter((name) => !after.includes(name))) {
    events.emit('auth.role_revoked', facts, { ...details, reason: role })
  }
}
