import { type PresentedApiKey } from '../route/request.ts'

// The roles of a member, for an API key only those of the time of its creation; undefined where the key
// may not use the organization. A credential never has more than when it was made.
export function narrowRoles(
  roles: readonly string[] | undefined,
  organization: string,
  apiKey: PresentedApiKey | undefined,
): readonly string[] | undefined {
  if (!apiKey?.memberships) return roles
  const granted = apiKey.memberships.find((it) => it.organization === organization)
  return granted && roles?.filter((role) => granted.roles.includes(role))
}
