import { type Route } from '../../route/route.ts'

export const authRouteNames = [
  'register',
  'login',
  'me',
  'updateMe',
  'refreshToken',
  'logout',
  'logoutAll',
  'listSessions',
  'revokeSession',
  'changePassword',
  'changeEmail',
  'confirmEmail',
  'forgotPassword',
  'resetPassword',
  'verifyEmail',
  'resendVerification',
  'listApiKeys',
  'createApiKey',
  'rotateApiKey',
  'revokeApiKey',
  'revokeAllApiKeys',
] as const

/** Name of a built-in route, also its operation id in the OpenAPI document. */
export type AuthRouteName = (typeof authRouteNames)[number]

/** Which built-in routes there are, and where. */
export interface AuthRoutesOptions {
  /**
   * Path that `createApi` mounts them at.
   * @default '/api/v1/auth'
   */
  path?: string | undefined
  /**
   * Names of the routes that exist.
   * @default all
   */
  only?: readonly AuthRouteName[] | undefined
  /**
   * Names of the routes that do not exist.
   * @default none
   */
  except?: readonly AuthRouteName[] | undefined
}

/** The built-in routes: all, none, the ones of a list, or a choice with a path. */
export type AuthRoutes = boolean | readonly AuthRouteName[] | AuthRoutesOptions

export interface RouteChoice {
  readonly path: string
  /** Those that were asked for by name. */
  readonly named: readonly string[]
  /** Those that there are. */
  readonly names: readonly string[]
}

export function parseAuthRoutes(value: unknown): RouteChoice {
  return parseRouteChoice(value, { names: authRouteNames, path: '/api/v1/auth' })
}

// Throws TypeError for a path or name that does not exist.
export function parseRouteChoice(
  value: unknown,
  known: { readonly names: readonly string[]; readonly path: string },
): RouteChoice {
  const { path = known.path, only, except = [] } = toOptions(value)
  if (typeof path !== 'string' || !/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new TypeError(`must have a path such as '${known.path}'`)
  }
  const unknown = [...(only ?? []), ...except].filter((name) => !known.names.includes(name))
  if (unknown.length > 0) {
    throw new TypeError(`names ${unknown.join(', ')}. Known: ${known.names.join(', ')}`)
  }
  const chosen = (only ?? known.names).filter((name) => !except.includes(name))
  return { path, named: only ?? [], names: chosen }
}

// As they may be written; the names are not checked yet.
interface Choice {
  readonly path?: string | undefined
  readonly only?: readonly string[] | undefined
  readonly except?: readonly string[] | undefined
}

function toOptions(value: unknown): Choice {
  if (value === true) return {}
  if (value === false) return { only: [] }
  if (Array.isArray(value)) return { only: value }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError('must be true, false, a list of names, or { path, only, except }')
  }
  const known = ['path', 'only', 'except']
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new TypeError(`has no option ${unknown.join(', ')}`)
  return value
}

// Throws TypeError for a route that was asked for and needs another option.
export function chooseRoutes(routes: readonly Route[], choice: RouteChoice): Route[] {
  const names = routes.map(({ operationId = '' }) => operationId)
  const missing = choice.named.filter((name) => !names.includes(name))
  if (missing.length > 0) {
    throw new TypeError(`auth.routes names ${missing.join(', ')}, which needs ${toNeed(missing)}.`)
  }
  return routes.filter(({ operationId = '' }) => choice.names.includes(operationId))
}

function toNeed(missing: readonly string[]): string {
  if (missing.includes('updateMe')) return 'auth.userFields.input'
  return missing.some((name) => name.includes('ApiKey')) ? 'auth.apiKeys' : 'auth.mail'
}
