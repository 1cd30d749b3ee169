import { CliError } from '../errors/cli-error.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { parseAccess, type ResourceAccess } from './access.ts'
import { type ActionName } from './actions.ts'
import { toReferredModels } from './references.ts'
import { readTenant, type Resource } from './resource.ts'

interface Source {
  readonly request: {
    readonly access?: string | undefined
    readonly tenant?: boolean | undefined
  }
  readonly options: ResourceRecord['options']
  readonly parent: Resource['parent']
}

// What is under a resource of organizations belongs to them, too.
export function resolveTenant(
  { config }: Project,
  { request, options, parent }: Source,
): Resource['tenant'] {
  const wanted = request.tenant === true ? config.tenants : undefined
  const tenant = readTenant(options['tenant']) ?? parent?.tenant ?? wanted
  if (tenant === undefined || !parent || parent.tenant) return tenant
  throw new CliError(
    'USAGE',
    `--tenant: ${parent.plural} do not belong to organizations, so documents under them cannot either`,
    { hint: 'leave out --under, or generate the parent with --tenant' },
  )
}

export function resolveAccess(
  { request, options, parent, tenant }: Source & Pick<Resource, 'tenant'>,
  chosen: readonly ActionName[],
): ResourceAccess {
  const usual = tenant === undefined ? 'public' : 'user'
  const stated = request.access ?? options['access'] ?? parent?.access.text ?? usual
  const access = parseAccess(stated, chosen)
  const open = Object.values(access.of).some((words) => words.includes('public'))
  if (tenant === undefined || !open) return access
  throw new CliError('USAGE', `--tenant: only members can be admitted, not --access ${stated}`, {
    hint: 'use user instead of public: it admits the members of the organization',
  })
}

// Models that its fields refer to, and whose documents belong to organizations.
export function findTenantModels(
  project: Project,
  { fields, names, tenant }: Pick<Resource, 'fields' | 'names' | 'tenant'>,
): readonly string[] {
  const others = Object.values(project.manifest.resources)
    .filter(({ model, options }) => model !== names.model && readTenant(options['tenant']))
    .map(({ model }) => model)
  const known = tenant === undefined ? others : [...others, names.model]
  const found = toReferredModels(fields).filter((model) => known.includes(model))
  const [first] = found
  if (first === undefined || tenant !== undefined) return found
  throw new CliError(
    'USAGE',
    `the documents of ${first} belong to organizations, so documents that refer to them must too`,
    { hint: 'add --tenant' },
  )
}
