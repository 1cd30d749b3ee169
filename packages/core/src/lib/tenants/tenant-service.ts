import { trusted, Types } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { type ModelPlace } from '../auth/model-registry.ts'
import { findPage } from '../resource/find-page.ts'
import { type ListQuery } from '../resource/list-query.ts'
import { type ListMeta } from '../resource/schemas.ts'
import { createInvitationStore, type Invitation, type InvitationStore } from './invitations.ts'
import {
  adminRole,
  createMembershipStore,
  type Member,
  type MembershipStore,
} from './membership-store.ts'
import {
  createTenantModels,
  type OrganizationDocument,
  type TenantModels,
} from './tenant-models.ts'
import { type TenantValues } from './tenant-options.ts'

export type { Member } from './membership-store.ts'

/** An organization, as one of its members sees it. */
export interface OrganizationView {
  /** Id of the organization. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** The roles that the member has in it. */
  readonly roles: readonly string[]
  /** When it was created. */
  readonly createdAt: Date
}

/** A member of an organization. */
export interface MemberView {
  /** Id of the user. */
  readonly user: string
  /** The e-mail address of the user; undefined where `auth` does not store the users. */
  readonly email?: string | undefined
  /** The roles that the user has in the organization. */
  readonly roles: readonly string[]
  /** When the user became a member. */
  readonly createdAt: Date
}

/** One page of a list. */
export interface TenantPage<T> {
  readonly data: readonly T[]
  readonly meta: ListMeta
}

/** The organizations of an API: for its own routes and scripts. */
export interface Tenants {
  /**
   * Creates an organization with a user as its administrator.
   * @param name - name of the organization
   * @param user - id of the user
   * @returns the organization
   */
  create(name: string, user: string): Promise<OrganizationView>
  /**
   * Renames an organization.
   * @param organization - id of the organization
   * @param name - the new name
   * @throws ApiError `not_found`
   */
  rename(organization: string, name: string): Promise<void>
  /**
   * Removes an organization with its memberships and invitations. Its documents are the application's.
   * @param organization - id of the organization
   */
  remove(organization: string): Promise<void>
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
   * @returns false if the user is a member already; the roles then stay as they are
   * @throws TypeError for a role that the option `roles` does not name
   */
  addMember(member: Member, roles?: readonly string[]): Promise<boolean>
  /**
   * Replaces the roles of a member.
   * @param member - organization and user
   * @param roles - the new roles
   * @throws ApiError `not_found` for a user who is not a member; `last_administrator`; `conflict` when another request
   * changes the member at the same time
   * @throws TypeError for a role that the option `roles` does not name
   */
  setRoles(member: Member, roles: readonly string[]): Promise<void>
  /**
   * Removes a member.
   * @param member - organization and user
   * @throws ApiError `not_found` for a user who is not a member; `last_administrator`; `conflict` when another request
   * changes the member at the same time
   */
  removeMember(member: Member): Promise<void>
}

// What only the routes and rules use.
export interface TenantService extends Tenants {
  readonly settings: TenantValues
  readonly roleNames: readonly string[]
  read(member: Member, roles: readonly string[]): Promise<OrganizationView>
  listOf(user: string, query: ListQuery): Promise<TenantPage<OrganizationView>>
  listMembers(organization: string, query: ListQuery): Promise<TenantPage<MemberView>>
  readMember(member: Member): Promise<MemberView>
  invite(member: Member, roles: readonly string[]): Promise<Invitation>
  /** Throws ApiError `not_found` unless the invitation belongs to the organization and is valid. */
  join(member: Member, token: string): Promise<OrganizationView>
}

export interface TenantParts {
  readonly settings: TenantValues
  readonly place: ModelPlace
  /** Finds the address of a user. */
  readonly findEmail: (user: string) => Promise<string | undefined>
}

export function createTenantService({ settings, place, findEmail }: TenantParts): TenantService {
  const models = createTenantModels(place)
  const memberships = createMembershipStore(models.memberships)
  const invitations = createInvitationStore(models.invitations)
  const roleNames = [adminRole, ...(settings.roles ?? [])]
  const checked = (roles: readonly string[]): readonly string[] => requireRoles(roles, roleNames)
  const toMember = async ({ user, roles, createdAt }: MemberView): Promise<MemberView> => ({
    user,
    roles,
    createdAt,
    email: await findEmail(user),
  })
  const read: TenantService['read'] = async ({ organization }, roles) => {
    const found = await models.organizations.findById(organization).lean()
    if (!found) throw new ApiError('not_found')
    return toView(found, roles)
  }
  return {
    settings,
    roleNames,
    async create(name, user) {
      const created = new models.organizations({ name })
      // The membership first: an organization without an administrator would stay without one.
      await memberships.add({ organization: String(created['_id']), user }, [adminRole])
      await created.save()
      return toView(created.toObject(), [adminRole])
    },
    async rename(organization, name) {
      const { matchedCount } = await models.organizations.updateOne({ _id: organization }, { name })
      if (matchedCount === 0) throw new ApiError('not_found')
    },
    async remove(organization) {
      await models.organizations.deleteOne({ _id: organization })
      await invitations.removeAll(organization)
      await models.memberships.deleteMany({ organization })
    },
    readRoles: (member) => memberships.readRoles(member),
    addMember: async (member, roles = []) => memberships.add(member, checked(roles)),
    setRoles: async (member, roles) => memberships.setRoles(member, checked(roles)),
    removeMember: (member) => memberships.remove(member),
    read,
    listOf: async (user, query) => listOrganizations(models, user, query),
    async listMembers(organization, query) {
      const members = { organization: new Types.ObjectId(organization) }
      const { data, meta } = await findPage(models.memberships, members, query)
      return { data: await Promise.all(data.map(toMember)), meta }
    },
    async readMember(member) {
      const found = await models.memberships.findOne({ ...member }).lean()
      if (!found) throw new ApiError('not_found')
      return toMember(found)
    },
    invite: async ({ organization, user }, roles) =>
      invitations.issue(organization, user, checked(roles)),
    async join(member, token) {
      const roles = await takeInvitation({ invitations, memberships }, member, token)
      return read(member, roles)
    },
  }
}

interface Stores {
  readonly invitations: InvitationStore
  readonly memberships: MembershipStore
}

// Returns the roles of the new member.
async function takeInvitation(
  { invitations, memberships }: Stores,
  { organization, user }: Member,
  token: string,
): Promise<readonly string[]> {
  const invitation = await invitations.take(organization, token)
  const inviter = invitation && { organization, user: invitation.inviter }
  const isValid = inviter && (await memberships.readRoles(inviter))?.includes(adminRole)
  // An administrator who was removed must not come back by an invitation of before.
  if (!invitation || !isValid) throw new ApiError('not_found')
  await memberships.add({ organization, user }, invitation.roles)
  return (await memberships.readRoles({ organization, user })) ?? []
}

async function listOrganizations(
  { memberships, organizations }: TenantModels,
  user: string,
  query: ListQuery,
): Promise<TenantPage<OrganizationView>> {
  const { data, meta } = await findPage(memberships, { user }, query)
  const ids = trusted({ $in: data.map(({ organization }) => organization) })
  const found = await organizations.find({ _id: ids }).lean()
  const byId = new Map(found.map((it) => [String(it['_id']), it]))
  const views = data.flatMap(({ organization, roles }) => {
    const document = byId.get(String(organization))
    return document ? [toView(document, roles)] : []
  })
  return { data: views, meta }
}

function toView(
  { _id: id, name, createdAt }: OrganizationDocument,
  roles: readonly string[],
): OrganizationView {
  return { id: String(id), name, roles, createdAt }
}

function requireRoles(roles: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = roles.filter((role) => !known.includes(role))
  if (unknown.length === 0) return [...new Set(roles)]
  throw new TypeError(
    `Members have no role ${unknown.join(', ')}. Roles: ${known.join(', ')}. Add it: createApi({ tenants: { roles: ['${unknown[0]}'] } }).`,
  )
}
