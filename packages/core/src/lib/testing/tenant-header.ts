import { type Api } from '../create-api.ts'

// Where the path has the organization, it decides, and the header does no harm.
export function toTenantHeader(
  { config }: Partial<Pick<Api, 'config'>>,
  organization: string | undefined,
): Record<string, string> {
  const tenants = config?.tenants
  if (organization === undefined || !tenants || tenants.from !== 'header') return {}
  return { [tenants.header]: organization }
}
