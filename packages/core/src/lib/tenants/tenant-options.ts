import {
  matching,
  oneOf,
  option,
  type Options,
  parsedBy,
  text,
  type Values,
} from '../options/options.ts'
import { parseRouteChoice, type RouteChoice } from '../auth/route-choice.ts'
import { adminRole } from './membership-store.ts'

export const tenantRouteNames = [
  'createOrganization',
  'listOrganizations',
  'readOrganization',
  'renameOrganization',
  'removeOrganization',
  'listMembers',
  'setMemberRoles',
  'removeMember',
  'inviteMember',
  'joinOrganization',
] as const

/** Name of a built-in route of organizations, also its operation id in the OpenAPI document. */
export type TenantRouteName = (typeof tenantRouteNames)[number]

/** Which built-in routes of organizations there are, and where. */
export interface TenantRoutesOptions {
  /**
   * Path that they are mounted at.
   * @default '/api/orgs'
   */
  path?: string | undefined
  /**
   * Names of the routes that exist.
   * @default all
   */
  only?: readonly TenantRouteName[] | undefined
  /**
   * Names of the routes that do not exist.
   * @default none
   */
  except?: readonly TenantRouteName[] | undefined
}

/** The built-in routes of organizations: all, none, the ones of a list, or a choice with a path. */
export type TenantRoutes = boolean | readonly TenantRouteName[] | TenantRoutesOptions

export const tenantOptions = {
  /**
   * How a request names its organization: by the `path`, as in `/api/orgs/:org/posts`, by a `header`, or
   * by a claim of the access `token`. Where the path has the parameter `:org`, it decides in any case.
   * @default 'path'
   */
  from: option(oneOf('path', 'header', 'token'), { default: 'path' }),
  /**
   * Name of the header, for `from: 'header'`.
   * @default 'X-Organization'
   */
  header: option(matching(/^[\w-]+$/, "must be the name of a header, such as 'X-Organization'"), {
    default: 'X-Organization',
  }),
  /**
   * Name of the claim in `req.claims`, for `from: 'token'`.
   * @default 'organization'
   */
  claim: option(text(), { default: 'organization' }),
  /**
   * Names of the roles that members can have, besides `admin`.
   * @default []
   */
  roles: option(parsedBy<readonly string[]>(parseRoles)),
  /**
   * The built-in routes: false for none, a list of names, or `{ path, only, except }`. Their path is
   * `/api/orgs` unless it is set.
   * @default true, all
   */
  routes: option(parsedBy<RouteChoice, TenantRoutes>(parseTenantRoutes), { default: true }),
}

/** Options of organizations: members, their roles, and how a request names its organization. */
export interface TenantConfig extends Options<typeof tenantOptions> {}

export interface TenantValues extends Values<typeof tenantOptions> {}

function parseTenantRoutes(value: unknown): RouteChoice {
  return parseRouteChoice(value, { names: tenantRouteNames, path: '/api/orgs' })
}

function parseRoles(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError("must be a list of names: ['editor']")
  const wrong = value.find(
    (name) => typeof name !== 'string' || !/^[A-Za-z][\w-]{0,63}$/.test(name),
  )
  if (wrong !== undefined) throw new TypeError("must be a list of names such as 'editor'")
  return value.filter((name) => name !== adminRole)
}
