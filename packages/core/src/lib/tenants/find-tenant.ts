import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type User } from '../access/caller.ts'
import { type FindMembers, findMembers } from '../access/scope.ts'
import { listPersonalModels } from '../auth/storage/model-registry.ts'
import { type ApiRequest, type Authenticator, type Tenant } from '../route/request.ts'
import { type Tenants, type TenantValues } from '../features/tenants.ts'
import { narrowRoles } from './key-memberships.ts'
import { type TenantService } from './tenant-service.ts'

const services = new WeakMap<Authenticator, TenantService>()

export function bindTenants(authenticator: Authenticator, service: TenantService): void {
  services.set(authenticator, service)
}

/**
 * Returns the organizations of the API that serves a request, for controllers and services.
 * @param req - the request
 * @returns the organizations
 * @throws Error when `createApi` has no `tenants`
 */
export function getTenants(req: Request): Tenants {
  return requireService(req)
}

export function requireService(req: Pick<Request, 'authenticator'>): TenantService {
  const service = req.authenticator && services.get(req.authenticator)
  if (service) return service
  throw new Error('This API has no organizations: createApi({ tenants: createTenants() }).')
}

// Finds the organization of a request and sets `req.tenant`. For a user who is not a member it does not exist.
export async function loadTenant(req: ApiRequest, user: User): Promise<Tenant> {
  const service = requireService(req)
  const organization = findOrganizationId(req, service.settings)
  const id = organization.toLowerCase()
  const own = await service.readRoles({ organization, user: user.id })
  const roles = narrowRoles(own, id, req.apiKey)
  if (!roles) throw new ApiError('not_found')
  const tenant = { id, roles }
  req.tenant = tenant
  const find: FindMembers = async (model, ids) =>
    isUserModel(model) ? service.findMembers(organization, ids.map(String)) : undefined
  req.references = Object.assign({ ...req.references }, { [findMembers]: find })
  return tenant
}

function isUserModel(name: string): boolean {
  const accounts = listPersonalModels().filter(({ isAccount }) => isAccount)
  return accounts.length > 0
    ? accounts.some(({ model }) => model.modelName === name)
    : name === 'User'
}

function findOrganizationId(req: ApiRequest, { claim, from, header }: TenantValues): string {
  const { org } = req.params
  if (typeof org === 'string') return org
  if (from === 'header') return readHeader(req, header)
  if (from === 'token') return stringOrEmpty(req.claims?.[claim])
  throw new Error(
    `The path of ${req.method} ${req.endpoint?.path ?? req.path} does not name the organization. Mount the router at '/api/orgs/:org/…', or choose createTenants({ from: 'header' }).`,
  )
}

function readHeader(req: ApiRequest, name: string): string {
  // A stream checks the access again after its head was sent.
  if (req.res?.headersSent === false) req.res.vary(name)
  const value = req.get(name)
  if (value !== undefined) return value
  const item = {
    in: 'header',
    pointer: `#/${name}`,
    code: 'required',
    detail: 'is required',
  } as const
  throw new ApiError('bad_request', { errors: [item] })
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
