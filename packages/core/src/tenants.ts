// The groups are the topics of the API reference: a comment names the topic and its guides.

// Organizations: docs/tenants.md
export { createTenants } from './lib/tenants/create-tenants.ts'
export { getTenants } from './lib/tenants/find-tenant.ts'
export {
  type Member,
  type OrganizationView,
  type TenantConfig,
  type TenantRouteName,
  type TenantRoutes,
  type TenantRoutesOptions,
  type Tenants,
  type TenantsFeature,
} from './lib/features/tenants.ts'

// Access rules of members: docs/tenants.md, docs/access.md
export { member, memberRole } from './lib/tenants/rules.ts'
