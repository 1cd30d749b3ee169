import { type Decide, defineRule, type Rule } from '../access/access.ts'
import { type User } from '../access/caller.ts'
import { type ApiRequest } from '../route/request.ts'
import { loadTenant, requireService } from './find-tenant.ts'

/**
 * The rule that admits the members of the organization of a request, to its documents: those whose
 * field `organization` is its id. For others, the organization does not exist (404). Needs
 * `createApi({ tenants })`. The handler reads the membership as `req.tenant`.
 * `all(member, 'owner')` admits them to their own documents there.
 */
export const member: Rule<false> = defineMemberRule('member', async (user, req) => {
  const { id } = await loadTenant(req, user)
  return { organization: id }
})

/**
 * Creates the rule that admits the members with one of some roles in the organization of a request, to its documents.
 * Other members get a 403, everyone else a 404.
 * @param roles - `admin`, and names in the option `roles` of `createTenants`; one of them is enough
 * @returns the rule
 * @throws TypeError without a role
 * @example
 * ```ts
 * del('/:id', { access: memberRole('admin', 'editor') }, list)
 * ```
 */
export function memberRole(...roles: readonly string[]): Rule<false> {
  if (roles.length === 0) throw new TypeError("memberRole() needs a role: memberRole('admin').")
  const decide: Decide<User> = async (user, req) => {
    const { id, roles: own } = await loadTenant(req, user)
    requireKnown(req, roles)
    return roles.some((role) => own.includes(role)) && { organization: id }
  }
  return defineMemberRule(`member role ${roles.join(' or ')}`, decide, roles)
}

// A rule about the members of an organization: those with one of the roles, or all if there are none.
export function defineMemberRule(
  name: string,
  decide: Decide<User>,
  roles: readonly string[] = [],
): Rule<false> {
  return { ...defineRule(name, decide, { tenant: true }), form: { kind: 'member', roles } }
}

function requireKnown(req: ApiRequest, roles: readonly string[]): void {
  const { roleNames } = requireService(req)
  const unknown = roles.find((role) => !roleNames.includes(role))
  if (unknown === undefined) return
  throw new Error(
    `Members have no role '${unknown}'. Roles: ${roleNames.join(', ')}. Add it: createTenants({ roles: ['${unknown}'] }).`,
  )
}
