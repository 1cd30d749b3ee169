import { trusted, Types } from 'mongoose'
import { endHoldings } from '../auth/storage/holdings.ts'
import { ApiError } from '../errors/api-error.ts'
import { type AuthRequest, toFacts } from '../auth/events/request-facts.ts'
import { type SecurityEventName } from '../auth/events/security-events.ts'
import { type PresentedApiKey } from '../route/request.ts'
import {
  adminRole,
  type ApiTenants,
  type Member,
  type OrganizationView,
  type TenantContext,
  type Tenants,
  type TenantValues,
} from '../features/tenants.ts'
import { findPage } from '../resource/find-page.ts'
import { type ListQuery } from '../resource/list-query.ts'
import { type ListMeta } from '../resource/schemas.ts'
import { narrowRoles } from './key-memberships.ts'
import { createInvitationStore, type Invitation, type InvitationStore } from './invitations.ts'
import { createMembershipStore, type MembershipStore } from './membership-store.ts'
import {
  createTenantModels,
  type InvitationDocument,
  type OrganizationDocument,
  type TenantModels,
} from './tenant-models.ts'

/** A member of an organization. */
export interface MemberView {
  /** Id of the user. */
  readonly user: string
  /** The e-mail address of the user; undefined where `auth` does not store the users, and for other members. */
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

interface Caller extends Member {
  readonly roles: readonly string[]
}

// The functions that only the routes and rules of organizations use.
export interface TenantService extends Tenants, Pick<ApiTenants, 'readMemberships'> {
  readonly settings: TenantValues
  readonly roleNames: readonly string[]
  read(member: Member, roles: readonly string[]): Promise<OrganizationView>
  /** Lists the organizations of a user; for an API key, those that it may use. */
  listOf(
    user: string,
    query: ListQuery,
    apiKey?: PresentedApiKey,
  ): Promise<TenantPage<OrganizationView>>
  listMembers(caller: Caller, query: ListQuery): Promise<TenantPage<MemberView>>
  findMembers(organization: string, users: readonly string[]): Promise<ReadonlySet<string>>
  readMember(member: Member): Promise<MemberView>
  invite(member: Member, roles: readonly string[], request: AuthRequest): Promise<Invitation>
  /** Throws ApiError `not_found` unless the invitation belongs to the organization and is valid. */
  join(member: Member, token: string, request: AuthRequest): Promise<OrganizationView>
}

export function createTenantService(parts: TenantContext): TenantService {
  const { findEmail, isActive, place, settings } = parts
  const models = createTenantModels(place)
  const memberships = createMembershipStore(models.memberships, isActive)
  const invitations = createInvitationStore(models.invitations)
  const stores: Stores = { ...models, memberships, invitations, isActive }
  const emit = createEmit(parts)
  const roleNames = [adminRole, ...(settings.roles ?? [])]
  const checked = (roles: readonly string[]): readonly string[] => requireRoles(roles, roleNames)
  const readers = createReaders(models, memberships, findEmail)
  const addMember: Tenants['addMember'] = async (member, roles = [], request) => {
    const isNew = await addToExisting(stores, member, checked(roles))
    if (isNew) emit('organization.member_added', member, { roles, request })
    return isNew
  }
  return {
    settings,
    roleNames,
    async create(name, user, request) {
      const created = new models.organizations({ name })
      const member = { organization: String(created['_id']), user }
      // The membership first: an organization without an administrator would stay without one.
      await memberships.add(member, [adminRole])
      await created.save()
      emit('organization.created', member, { request })
      return toView(created.toObject(), [adminRole])
    },
    async rename(organization, name) {
      const { matchedCount } = await models.organizations.updateOne({ _id: organization }, { name })
      if (matchedCount === 0) throw new ApiError('not_found')
    },
    async remove(organization, request) {
      // The organization first: a user who joins at the same time finds that it is gone.
      await models.organizations.deleteOne({ _id: organization })
      await invitations.removeAll(organization)
      await memberships.removeAll(organization)
      await endHoldings({ organization }, 'removed')
      emit('organization.removed', { organization }, { request })
    },
    addMember,
    async setRoles(member, roles, request) {
      await memberships.setRoles(member, checked(roles))
      emit('organization.roles_changed', member, { roles, request })
    },
    async removeMember(member, request) {
      await memberships.remove(member)
      emit('organization.member_removed', member, { request })
    },
    ...readers,
    async invite({ organization, user }, roles, request) {
      const invitation = await invitations.issue(organization, user, checked(roles))
      emit('organization.invitation_created', { organization, user }, { roles, request })
      return invitation
    },
    async join(member, token, request) {
      const { inviter, roles } = await takeInvitation(stores, member, token)
      emit('organization.invitation_accepted', member, { roles, request, actor: inviter })
      await addMember(member, roles, request)
      return readers.read(member, (await memberships.readRoles(member)) ?? [])
    },
  }
}

type Readers = Pick<
  TenantService,
  'read' | 'readRoles' | 'findMembers' | 'readMemberships' | 'listOf' | 'listMembers' | 'readMember'
>

function createReaders(
  models: TenantModels,
  memberships: MembershipStore,
  findEmail: TenantContext['findEmail'],
): Readers {
  const toMember = async (
    { user, roles, createdAt }: MemberView,
    hasEmail: boolean,
  ): Promise<MemberView> => ({
    user,
    roles,
    createdAt,
    email: hasEmail ? await findEmail(user) : undefined,
  })
  return {
    readRoles: (member) => memberships.readRoles(member),
    findMembers: (organization, users) => memberships.findMembers(organization, users),
    async read({ organization }, roles) {
      const found = await models.organizations.findById(organization).lean()
      if (!found) throw new ApiError('not_found')
      return toView(found, roles)
    },
    listOf: async (user, query, apiKey) => listOrganizations(models, user, { query, apiKey }),
    async readMemberships(user) {
      const found = await models.memberships.find({ user }, { organization: 1, roles: 1 }).lean()
      return found.map(({ organization, roles }) => ({
        organization: String(organization),
        roles,
      }))
    },
    // Administrators see all addresses, and other members their own.
    async listMembers({ organization, roles, user }, query) {
      const members = { organization: new Types.ObjectId(organization) }
      const { data, meta } = await findPage(models.memberships, query, { scope: members })
      const isAdmin = roles.includes(adminRole)
      const show = (one: MemberView): Promise<MemberView> =>
        toMember(one, isAdmin || one.user === user)
      return { data: await Promise.all(data.map(show)), meta }
    },
    async readMember(member) {
      const found = await models.memberships.findOne({ ...member }).lean()
      if (!found) throw new ApiError('not_found')
      return toMember(found, true)
    },
  }
}

interface Cause {
  readonly roles?: readonly string[]
  readonly request: AuthRequest | undefined
  /** The user who caused it, unless that is the caller of the request. */
  readonly actor?: string
}

type Emit = (
  event: SecurityEventName,
  subject: Pick<Member, 'organization'> & Partial<Member>,
  cause: Cause,
) => void

function createEmit({ events }: TenantContext): Emit {
  return (event, { organization, user }, { actor, request, roles }) => {
    const facts = toFacts(request, Date.now())
    events.emit(event, facts, {
      organizationId: organization,
      userId: user,
      actorId: actor ?? facts.callerId,
      reason: roles?.join(', '),
    })
  }
}

interface Stores {
  readonly organizations: TenantModels['organizations']
  readonly invitations: InvitationStore
  readonly memberships: MembershipStore
  readonly isActive: TenantContext['isActive']
}

// Looks for the organization afterwards: one that is removed at the same time must not keep a member.
async function addToExisting(
  { memberships, organizations }: Stores,
  member: Member,
  roles: readonly string[],
): Promise<boolean> {
  const isNew = await memberships.add(member, roles)
  if (await organizations.exists({ _id: member.organization })) return isNew
  await memberships.removeAll(member.organization)
  throw new ApiError('not_found')
}

async function takeInvitation(
  { invitations, isActive, memberships }: Stores,
  { organization }: Member,
  token: string,
): Promise<InvitationDocument> {
  const invitation = await invitations.take(organization, token)
  const inviter = invitation && { organization, user: invitation.inviter }
  const isAdmin = inviter && (await memberships.readRoles(inviter))?.includes(adminRole)
  // An administrator who was removed or disabled must not come back by an invitation of before.
  const isValid = isAdmin && (await isActive(inviter.user))
  if (!invitation || !isValid) throw new ApiError('not_found')
  return invitation
}

async function listOrganizations(
  { memberships, organizations }: TenantModels,
  user: string,
  { apiKey, query }: { readonly apiKey: PresentedApiKey | undefined; readonly query: ListQuery },
): Promise<TenantPage<OrganizationView>> {
  const usable = apiKey?.memberships?.map(({ organization }) => organization)
  const scope = { user, ...(usable && { organization: trusted({ $in: usable }) }) }
  const { data, meta } = await findPage(memberships, query, { scope })
  const ids = trusted({ $in: data.map(({ organization }) => organization) })
  const found = await organizations.find({ _id: ids }).lean()
  const byId = new Map(found.map((it) => [String(it['_id']), it]))
  const views = data.flatMap(({ organization, roles }) => {
    const document = byId.get(String(organization))
    const own = narrowRoles(roles, String(organization), apiKey) ?? []
    return document ? [toView(document, own)] : []
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
    `Members have no role ${unknown.join(', ')}. Roles: ${known.join(', ')}. Add it: createTenants({ roles: ['${unknown[0]}'] }).`,
  )
}
