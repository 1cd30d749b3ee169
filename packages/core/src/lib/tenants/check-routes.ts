import { toAccessName, toRule } from '../access/access.ts'
import { type Endpoint } from '../route/route.ts'
import { type TenantValues } from './tenant-options.ts'

// Throws TypeError for a route that needs the organization of a request which does not name one.
export function requireNamedTenants(
  endpoints: readonly Endpoint[],
  settings: TenantValues | false,
): void {
  for (const { method, path, route } of endpoints) {
    const accesses = [route.access, ...Object.values(route.references ?? {})]
    const access = accesses.find((one) => toRule(one).tenant)
    if (!access) continue
    const name = `${method} ${path} has the access '${toAccessName(access)}'`
    if (!settings) {
      throw new TypeError(`${name}, which needs organizations: createApi({ tenants: {} }).`)
    }
    if (settings.from === 'path' && !path.split('/').includes(':org')) {
      throw new TypeError(
        `${name}, but its path does not name the organization. Mount the router below /api/orgs/:org, or choose tenants: { from: 'header' }.`,
      )
    }
  }
}
