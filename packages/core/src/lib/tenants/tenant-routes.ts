import { z } from 'zod'
import { closeToApiKeys } from '../auth/routes/api-key-routes.ts'
import { chooseRoutes } from '../route/route-choice.ts'
import { any, defineRule } from '../access/access.ts'
import { defineRoute } from '../route/define-route.ts'
import { type UserRequest } from '../route/request.ts'
import { type Route } from '../route/route.ts'
import { success } from '../response/success.ts'
import { defineListQuery } from '../resource/list-query.ts'
import { listMeta, objectId } from '../resource/schemas.ts'
import { createRouter, type Router } from '../routing/create-router.ts'
import { loadTenant } from './find-tenant.ts'
import { adminRole, type Member } from '../features/tenants.ts'
import { defineMemberRule } from './rules.ts'
import { type TenantService } from './tenant-service.ts'

// The documents of these routes are the organizations themselves, so no filter applies.
const members = defineMemberRule('member', async (user, req) => {
  await loadTenant(req, user)
  return true
})

const admins = defineMemberRule(
  `member role ${adminRole}`,
  async (user, req) => (await loadTenant(req, user)).roles.includes(adminRole),
  [adminRole],
)

const oneself = defineRule('oneself', ({ id }, req) => req.params['user'] === id)

// The routes that the option `routes` chooses.
export function createTenantRouter(service: TenantService): Router {
  const schemas = createSchemas(service.roleNames)
  const routes = [
    ...createCollectionRoutes(service, schemas),
    ...createOrganizationRoutes(service, schemas),
    ...createMemberRoutes(service, schemas),
    ...createInvitationRoutes(service, schemas),
  ].map((route) => (route.method === 'get' ? route : closeToApiKeys(route)))
  return createRouter(chooseRoutes(routes, service.settings.routes), { tag: 'organizations' })
}

type Schemas = ReturnType<typeof createSchemas>

function createSchemas(roleNames: readonly string[]) {
  const roles = z.array(z.enum(roleNames)).max(roleNames.length)
  const stored = z.array(z.string())
  const createdAt = z.iso.datetime()
  const orgParams = z.strictObject({ org: objectId })
  const organization = z.object({ id: z.string(), name: z.string(), roles: stored, createdAt })
  return {
    orgParams,
    memberParams: orgParams.extend({ user: z.string().regex(/^[\w-]{1,64}$/) }),
    name: z.strictObject({ name: z.string().trim().min(1).max(200) }),
    roles: z.strictObject({ roles }),
    join: z.strictObject({
      token: z.string().regex(/^[\w-]{43}$/, 'must be the token of an invitation'),
    }),
    organization: organization.meta({ id: 'Organization' }),
    member: z
      .object({
        user: z.string(),
        email: z
          .string()
          .optional()
          .meta({ description: 'For administrators, and of the caller.' }),
        roles: stored,
        createdAt,
      })
      .meta({ id: 'Member' }),
    invitation: z.object({ token: z.string(), roles: stored, expiresAt: z.iso.datetime() }),
    page: defineListQuery(organization),
  }
}

type CreateRoutes = (service: TenantService, schemas: Schemas) => Route[]

const createCollectionRoutes: CreateRoutes = (service, schemas) => [
  defineRoute({
    method: 'post',
    path: '/',
    access: 'user',
    summary: 'Create an organization with the current user as its administrator',
    operationId: 'createOrganization',
    body: schemas.name,
    response: schemas.organization,
    status: 201,
    idempotent: true,
    async handler(req, res) {
      const organization = await service.create(req.valid.body.name, req.user.id, req)
      const { path } = service.settings.routes
      success(res.status(201).location(`${path}/${organization.id}`), organization)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/',
    access: 'user',
    summary: 'List the organizations of the current user',
    operationId: 'listOrganizations',
    query: schemas.page,
    response: schemas.organization.array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await service.listOf(req.user.id, req.valid.query, req.apiKey)
      success(res, data, meta)
    },
  }),
]

const createOrganizationRoutes: CreateRoutes = (service, schemas) => [
  defineRoute({
    method: 'get',
    path: '/:org',
    access: members,
    summary: 'Show an organization',
    operationId: 'readOrganization',
    params: schemas.orgParams,
    response: schemas.organization,
    async handler(req, res) {
      success(res, await service.read(toMember(req), req.tenant?.roles ?? []))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/:org',
    access: admins,
    summary: 'Rename an organization',
    operationId: 'renameOrganization',
    params: schemas.orgParams,
    body: schemas.name,
    response: schemas.organization,
    async handler(req, res) {
      await service.rename(req.valid.params.org, req.valid.body.name)
      success(res, await service.read(toMember(req), req.tenant?.roles ?? []))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/:org',
    access: admins,
    summary: 'Remove an organization with its memberships and invitations',
    operationId: 'removeOrganization',
    params: schemas.orgParams,
    async handler(req, res) {
      await service.remove(req.valid.params.org, req)
      success(res)
    },
  }),
]

const createMemberRoutes: CreateRoutes = (service, schemas) => [
  defineRoute({
    method: 'get',
    path: '/:org/members',
    access: members,
    summary: 'List the members of an organization',
    operationId: 'listMembers',
    params: schemas.orgParams,
    query: schemas.page,
    response: schemas.member.array(),
    meta: listMeta,
    async handler(req, res) {
      const caller = { ...toMember(req), roles: req.tenant?.roles ?? [] }
      const { data, meta } = await service.listMembers(caller, req.valid.query)
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'put',
    path: '/:org/members/:user',
    access: admins,
    summary: 'Change the roles of a member',
    operationId: 'setMemberRoles',
    params: schemas.memberParams,
    body: schemas.roles,
    response: schemas.member,
    errors: ['conflict', 'last_administrator'],
    async handler(req, res) {
      const { body, params } = req.valid
      const changed = { organization: params.org, user: params.user }
      await service.setRoles(changed, body.roles, req)
      success(res, await service.readMember(changed))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/:org/members/:user',
    access: any(admins, oneself),
    summary: 'Remove a member, or leave an organization',
    operationId: 'removeMember',
    params: schemas.memberParams,
    errors: ['conflict', 'last_administrator'],
    async handler(req, res) {
      const { org, user } = req.valid.params
      await service.removeMember({ organization: org, user }, req)
      success(res)
    },
  }),
]

const createInvitationRoutes: CreateRoutes = (service, schemas) => [
  defineRoute({
    method: 'post',
    path: '/:org/invitations',
    access: admins,
    summary: 'Create an invitation to an organization',
    operationId: 'inviteMember',
    params: schemas.orgParams,
    body: schemas.roles,
    response: schemas.invitation,
    status: 201,
    async handler(req, res) {
      const invitation = await service.invite(toMember(req), req.valid.body.roles, req)
      success(res.status(201), invitation)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/:org/members',
    access: 'user',
    summary: 'Join an organization with an invitation',
    operationId: 'joinOrganization',
    params: schemas.orgParams,
    body: schemas.join,
    response: schemas.organization,
    status: 201,
    errors: ['not_found'],
    async handler(req, res) {
      success(res.status(201), await service.join(toMember(req), req.valid.body.token, req))
    },
  }),
]

function toMember({ user, valid }: UserRequest<{ params: { org: string } }>): Member {
  return { organization: valid.params.org, user: user.id }
}
