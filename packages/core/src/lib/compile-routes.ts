import { type Auth } from './create-auth.ts'
import { type ApiTenants, type TenantValues } from './features/tenants.ts'
import { type DescribeApi, describeApi } from './openapi/document.ts'
import { createDocsRoutes, createDocumentRoute } from './openapi/routes.ts'
import { toAccessName, toRule } from './access/access.ts'
import { createCursorKeys } from './resource/cursor.ts'
import { type Endpoint } from './route/route.ts'
import { type SendError } from './http/error-handler.ts'
import { type StreamScope } from './route/open-streams.ts'
import { type RouteChoice } from './route/route-choice.ts'
import { createRouter, type Router } from './routing/create-router.ts'
import { type CompiledEndpoint } from './routing/endpoint.ts'
import { compileMounts, type Mount, readMounts, type Registry } from './routing/registry.ts'
import { type Settings } from './settings/resolve-config.ts'

export interface CompiledRoutes {
  /** Every route, in the order of mounting. */
  readonly endpoints: readonly CompiledEndpoint[]
  /** Returns the OpenAPI document; undefined when it is switched off. */
  readonly describe: DescribeApi | undefined
}

interface Parts {
  readonly auth: Auth | undefined
  readonly tenants: ApiTenants | undefined
  readonly streams: StreamScope
  readonly sendError: SendError
}

// The document describes the routes of authentication, organizations and of the application. The document itself and
// the keys that verify tokens are not part of it: they are for tools, not for clients.
export function compileRoutes(
  settings: Settings,
  registry: Registry,
  { auth, tenants, streams, sendError }: Parts,
): CompiledRoutes {
  const { body, envelope, environment, name, openapi, secrets, server } = settings
  const options = {
    body,
    envelope,
    strict: environment !== 'production',
    compile: server.fast,
    cursorKeys: createCursorKeys(secrets, name),
    streams,
    sendError,
  }
  const described = compileMounts(
    [
      ...mountBuiltIn(auth, settings.auth),
      ...mountBuiltIn(tenants, settings.tenants),
      ...readMounts(registry),
    ],
    options,
  )
  requireNamedTenants(described, settings.tenants)
  const describe = openapi ? describeApi(described, openapi) : undefined
  const others = compileMounts([...mountDocument(describe, settings), ...mountKeys(auth)], options)
  return { endpoints: [...described, ...others], describe }
}

function mountBuiltIn(
  part: { readonly router: Router } | undefined,
  settings: { readonly routes: RouteChoice } | false,
): Mount[] {
  if (!part || !settings || part.router.routes.length === 0) return []
  return [{ prefix: settings.routes.path, router: part.router }]
}

function mountKeys(auth: Auth | undefined): Mount[] {
  return auth ? [{ prefix: '/.well-known', router: auth.wellKnown }] : []
}

function mountDocument(describe: CompiledRoutes['describe'], { openapi }: Settings): Mount[] {
  if (!describe || !openapi || openapi.serve === false) return []
  return [
    { prefix: '/openapi.json', router: createRouter([createDocumentRoute(describe)]) },
    { prefix: '/docs', router: createRouter(createDocsRoutes()) },
  ]
}

// Throws TypeError for a route that needs the organization of a request which does not name one.
function requireNamedTenants(endpoints: readonly Endpoint[], settings: TenantValues | false): void {
  for (const { method, path, route } of endpoints) {
    const accesses = [route.access, ...Object.values(route.references ?? {})]
    const access = accesses.find((one) => toRule(one).tenant)
    if (!access) continue
    const name = `${method} ${path} has the access '${toAccessName(access)}'`
    if (!settings) {
      throw new TypeError(
        `${name}, which needs organizations: createApi({ tenants: createTenants() }), imported from '@create-api/core/tenants'.`,
      )
    }
    if (settings.from === 'path' && !path.split('/').includes(':org')) {
      throw new TypeError(
        `${name}, but its path does not name the organization. Mount the router below /api/orgs/:org, or choose createTenants({ from: 'header' }).`,
      )
    }
  }
}
