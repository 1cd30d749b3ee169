import { type Permission } from '../../access/caller.ts'
import { type Logger } from '../../logging/logger.ts'
import { type DefinedRoles } from './define-roles.ts'
import { setBounded } from '../storage/set-bounded.ts'

// Returns what a list of stored roles permits.
export type PermissionsOf = (roles: readonly string[]) => readonly Permission[]

const none: readonly Permission[] = Object.freeze([])
const maxLists = 1000

// Computed once for each list of roles, because every guarded request asks for it. A role that is not
// defined gives nothing, with one warning.
export function createPermissions({
  roles: defined,
  adminRole,
  logger,
}: {
  readonly roles: DefinedRoles | undefined
  readonly adminRole: string
  readonly logger: Logger
}): PermissionsOf {
  if (!defined) return () => none
  const known = new Map<string, readonly Permission[]>()
  const warned = new Map<string, true>()

  function warnOnce(role: string): void {
    if (role === adminRole || Object.hasOwn(defined?.permissions ?? {}, role)) return
    if (warned.has(role)) return
    setBounded(warned, role, true, maxLists)
    logger.warn(
      { role },
      `A user has the role ${JSON.stringify(role)}, which auth.roles does not define: it gives no permissions. Define it, or revoke it: api users revoke <email> <role>`,
    )
  }

  return (roles) => {
    if (roles.length === 0) return none
    const key = roles.join('\n')
    const found = known.get(key)
    if (found) return found
    for (const role of roles) warnOnce(role)
    const permissions = defined.permissionsOf(roles)
    setBounded(known, key, permissions, maxLists)
    return permissions
  }
}
