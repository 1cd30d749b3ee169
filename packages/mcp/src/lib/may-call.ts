import { type Access, any, type PresentedApiKey, type Rule, type User } from '@create-api/core'

/** The caller of a request, as its credentials say. */
export interface Caller {
  readonly user?: User | undefined
  readonly apiKey?: PresentedApiKey | undefined
}

// Whether a route may admit a caller: roles, permissions and the scopes of a key decide here. What a rule of the application or of an
// organization decides is known only for a request of the route, so it counts as admitted.
export function mayCall(access: Access, caller: Caller): boolean {
  // A word becomes a rule.
  return mayAdmit(any(access), caller)
}

// A key may not act for its user where neither a role nor a permission decides, unless it has the scope `user`.
function mayAdmit(rule: Rule, { apiKey, user }: Caller): boolean {
  const mayAct = apiKey === undefined || rule.byScope || apiKey.scopes.includes('user')
  return admits(rule, { apiKey, user: mayAct ? user : undefined })
}

function admits({ anonymous, form }: Rule, caller: Caller): boolean {
  const { user } = caller
  if (!user && !anonymous) return false
  switch (form?.kind) {
    case 'role':
      return user?.roles.some((name) => name === form.name) === true
    case 'permission':
      return user?.permissions?.some((name) => name === form.name) === true
    case 'any':
      return form.rules.some((rule) => mayAdmit(rule, caller))
    case 'all':
      return form.rules.every((rule) => admits(rule, caller))
    default:
      return true
  }
}
