import {
  code,
  matching,
  oneOf,
  option,
  type Options,
  parsedBy,
  text,
  type Values,
} from '../options/options.ts'
import { parseRouteChoice, type RouteChoice } from '../route/route-choice.ts'
import { type ModelPlace } from '../auth/storage/model-registry.ts'
import { type AuthRequest } from '../auth/events/request-facts.ts'
import { type SecurityEvents } from '../auth/events/security-events.ts'
import { type Authenticator, type Membership } from '../route/request.ts'
import { type Router } from '../routing/create-router.ts'

// The role that every organization has, and that must not be left without a member.
export const adminRole = 'admin'

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

/** The built-in routes of organizations that exist, and their path. */
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
  create: code<CreateTenants>(),
}

/** Options of organizations: members, their roles, and how a request names its organization. */
export interface TenantConfig extends Omit<Options<typeof tenantOptions>, 'create'> {}

/**
 * The organizations of an API: their options, and the function by which `createApi` creates them.
 */
export interface TenantsFeature extends TenantConfig {
  /** Creates the models, the service and the routes. */
  readonly create: CreateTenants
}

export type CreateTenants = (context: TenantContext) => ApiTenants

export interface TenantValues extends Values<typeof tenantOptions> {}

/** The values that `createApi` passes to the organizations. */
export interface TenantContext {
  readonly settings: TenantValues
  /** The connection and the prefix of the models. */
  readonly place: ModelPlace
  /** The requests of an API are known by how their callers are loaded. */
  readonly authenticator: Authenticator
  /** Finds the address of a user. */
  readonly findEmail: (user: string) => Promise<string | undefined>
  /** Whether a user exists and is not disabled; true where the service does not store the users. */
  readonly isActive: (user: string) => Promise<boolean>
  readonly events: SecurityEvents
}

/** The members of the organizations that `createApi` uses. */
export interface ApiTenants extends Tenants {
  readonly router: Router
  /** Builds the indexes. */
  readonly init: () => Promise<void>
  /** Reads the organizations of a user. */
  readonly readMemberships: (user: string) => Promise<Membership[]>
}

/** A user in an organization. */
export interface Member {
  /** Id of the organization. */
  readonly organization: string
  /** Id of the user. */
  readonly user: string
}

/** An organization, as one of its members sees it. */
export interface OrganizationView {
  /** Id of the organization. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** The roles that the member has in it. */
  readonly roles: readonly string[]
  /** Time of its creation. */
  readonly createdAt: Date
}

/** The organizations of an API, for routes and scripts of the application. */
export interface Tenants {
  /**
   * Creates an organization with a user as its administrator.
   * @param name - name of the organization
   * @param user - id of the user
   * @param request - the request that it belongs to, for the security event
   * @returns the organization
   */
  create(name: string, user: string, request?: AuthRequest): Promise<OrganizationView>
  /**
   * Renames an organization.
   * @param organization - id of the organization
   * @param name - the new name
   * @throws ApiError `not_found`
   */
  rename(organization: string, name: string): Promise<void>
  /**
   * Removes an organization with its memberships and invitations. Its documents stay stored, but
   * the rules `member` and `memberRole` no longer admit anyone to them. A removal that was
   * interrupted can be repeated.
   * @param organization - id of the organization
   * @param request - the request that it belongs to, for the security event
   */
  remove(organization: string, request?: AuthRequest): Promise<void>
  /**
   * Reads the roles of a member.
   * @param member - organization and user
   * @returns the roles; undefined for a user who is not a member
   */
  readRoles(member: Member): Promise<readonly string[] | undefined>
  /**
   * Adds a member without an invitation: for the application, which knows that the user agrees.
   * @param member - organization and user
   * @param roles - the roles of the new member
   * @param request - the request that it belongs to, for the security event
   * @returns false if the user is a member already; the roles then stay as they are
   * @throws ApiError `not_found` for an organization that does not exist
   * @throws TypeError for a role that the option `roles` does not name
   */
  addMember(member: Member, roles?: readonly string[], request?: AuthRequest): Promise<boolean>
  /**
   * Replaces the roles of a member.
   * @param member - organization and user
   * @param roles - the new roles
   * @param request - the request that it belongs to, for the security event
   * @throws ApiError `not_found` for a user who is not a member; `last_administrator`; `conflict` when another request
   * changes the member at the same time
   * @throws TypeError for a role that the option `roles` does not name
   */
  setRoles(member: Member, roles: readonly string[], request?: AuthRequest): Promise<void>
  /**
   * Removes a member.
   * @param member - organization and user
   * @param request - the request that it belongs to, for the security event
   * @throws ApiError `not_found` for a user who is not a member; `last_administrator`; `conflict` when another request
   * changes the member at the same time
   */
  removeMember(member: Member, request?: AuthRequest): Promise<void>
}

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
