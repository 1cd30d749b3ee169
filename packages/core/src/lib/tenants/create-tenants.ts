import { ensureIndexes } from '../auth/storage/model-registry.ts'
import { type TenantConfig, type TenantsFeature } from '../features/tenants.ts'
import { bindTenants } from './find-tenant.ts'
import { createTenantRouter } from './tenant-routes.ts'
import { createTenantService } from './tenant-service.ts'

/**
 * Adds organizations to an API: their routes, the rules `member` and `memberRole`, and `api.tenants`.
 * @param options - how a request names its organization, the roles of members, and the routes
 * @returns the value of the option `tenants` of `createApi`, which checks the options
 * @example
 * ```ts
 * export const api = createApi({ routes, tenants: createTenants({ roles: ['editor'] }) })
 * ```
 */
export function createTenants(options: TenantConfig = {}): TenantsFeature {
  return {
    ...options,
    create(context) {
      const service = createTenantService(context)
      bindTenants(context.authenticator, service)
      return {
        ...service,
        router: createTenantRouter(service),
        init: () => ensureIndexes(context.place),
      }
    },
  }
}
