import { findOwnConnection } from './connections.ts'
import { type Auth } from './create-auth.ts'
import { ensureIndexes } from './auth/model-registry.ts'
import { createSecurityEvents, type SecurityEvent } from './auth/security-events.ts'
import { type Authenticator } from './route/request.ts'
import { type Router } from './routing/create-router.ts'
import { type Settings } from './settings/resolve-config.ts'
import { bindTenants } from './tenants/find-tenant.ts'
import { createTenantRouter } from './tenants/tenant-routes.ts'
import { createTenantService, type Tenants } from './tenants/tenant-service.ts'

export interface ApiTenants extends Tenants {
  readonly router: Router
  /** Builds the indexes. */
  readonly init: () => Promise<void>
}

interface Parts {
  readonly auth: Auth | undefined
  readonly authenticator: Authenticator | undefined
  readonly onEvent: ((event: SecurityEvent) => void) | undefined
}

// The organizations of an API; undefined without the option.
export function createApiTenants(
  options: Settings,
  { auth, authenticator, onEvent }: Parts,
): ApiTenants | undefined {
  const { tenants: settings } = options
  if (!settings || !authenticator) return undefined
  const prefix = options.auth ? options.auth.modelPrefix : ''
  const place = { connection: findOwnConnection(options), prefix }
  const findEmail = async (id: string): Promise<string | undefined> =>
    (await auth?.users.findById(id))?.email
  const events = createSecurityEvents({ logger: options.logger, onEvent, now: Date.now })
  const service = createTenantService({ settings, place, findEmail, events })
  bindTenants(authenticator, service)
  return {
    ...service,
    router: createTenantRouter(service),
    init: () => ensureIndexes(place),
  }
}
