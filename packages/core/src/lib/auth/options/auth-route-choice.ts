import { chooseRoutes, parseRouteChoice, type RouteChoice } from '../../route/route-choice.ts'
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
  'reauthenticate',
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

/** The built-in routes that exist, and their path. */
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

export function parseAuthRoutes(value: unknown): RouteChoice {
  return parseRouteChoice(value, { names: authRouteNames, path: '/api/v1/auth' })
}

// Throws TypeError for a route that was asked for and needs another option.
export function chooseAuthRoutes(routes: readonly Route[], choice: RouteChoice): Route[] {
  const names = routes.map(({ operationId = '' }) => operationId)
  const missing = choice.named.filter((name) => !names.includes(name))
  if (missing.length > 0) {
    throw new TypeError(`auth.routes names ${missing.join(', ')}, which needs ${toNeed(missing)}.`)
  }
  return chooseRoutes(routes, choice)
}

function toNeed(missing: readonly string[]): string {
  if (missing.includes('updateMe')) return 'auth.userFields.input'
  return missing.some((name) => name.includes('ApiKey')) ? 'auth.apiKeys' : 'auth.mail'
}
