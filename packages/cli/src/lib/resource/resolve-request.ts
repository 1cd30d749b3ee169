import { CliError } from '../errors/cli-error.ts'
import { type Field } from '../fields/field.ts'
import { toSources } from '../fields/gather-objects.ts'
import { parseFields } from '../fields/parse-fields.ts'
import { accountModel, requireUsableNames } from '../names/reserved.ts'
import { type ResourceNames, toInflectionRule, toResourceNames } from '../names/resource-names.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { isAdopted } from '../project/adoption-file.ts'
import { type Project } from '../project/open-project.ts'
import { isOwned, isRestricted, isScoped, readAccess, type ResourceAccess } from './access.ts'
import { type ActionName, actions } from './actions.ts'
import {
  isTestable,
  resolveExisting,
  toDefaultActions,
  toModelFeatures,
  toScopeNames,
} from './existing-model.ts'
import { requireOwnRules } from './imports.ts'
import { type ModelDescription } from '../project/model-description.ts'
import { requireImportedParts } from './require-parts.ts'
import { toReferredModels } from './references.ts'
import { resolveCollation } from './resolve-collation.ts'
import { type FeatureRequest, resolveFeatures } from './resolve-features.ts'
import { resolveKey } from './resolve-key.ts'
import { requireAccessOfParent, resolveParent } from './resolve-parent.ts'
import { findTenantModels, resolveAccess, resolveTenant } from './resolve-tenant.ts'
import {
  type Parent,
  type PartName,
  parts,
  readTenant,
  type Resource,
  toDefaultPath,
  toSwitches,
} from './resource.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'

export interface GenerateRequest extends FeatureRequest {
  readonly name: string
  /** Field arguments; none means those of the last time, or a title. */
  readonly fields: readonly string[]
  /** Who may call the routes. */
  readonly access?: string | undefined
  /** Whether its documents belong to organizations. */
  readonly tenant?: boolean | undefined
  /** Only these parts. */
  readonly only?: readonly PartName[] | undefined
  /** All but these parts. */
  readonly skip?: readonly PartName[] | undefined
  /** Path to mount at. */
  readonly path?: string | undefined
  /** Resource to nest it under, in any spelling. */
  readonly under?: string | undefined
  /** Unique field that identifies a document in its path. */
  readonly key?: string | undefined
  readonly singular?: string | undefined
  readonly plural?: string | undefined
  readonly actions?: readonly ActionName[] | undefined
  /** Locale by which the list sorts and compares text, without regard to case. */
  readonly collation?: string | undefined
  /** False for `--no-format`. */
  readonly format?: boolean | undefined
  /** The model of the application that the resource uses. */
  readonly existing?: ModelDescription | undefined
}

export interface ResolvedRequest {
  readonly resource: Resource
  readonly parts: readonly PartName[]
  readonly format: boolean
  readonly overridden: boolean
  readonly record: Pick<ResourceRecord, 'name' | 'model' | 'fields' | 'options' | 'existing'>
}

export function resolveRequest(project: Project, request: GenerateRequest): ResolvedRequest {
  const names = toResourceNames(request.name, project.config.inflections, request)
  requireUsableNames(names)
  const recorded = project.manifest.resources[names.plural]
  requireSameSpelling(names, recorded)
  requireFreeModel(project, names)
  const requested = toResource(project, { names, request, recorded })
  const resource = {
    ...requested,
    missingModels: findMissingModels(project, requested),
    readers: findReaders(project, requested),
    tenantModels: findTenantModels(project, requested),
  }
  requireOwnRules(resource, project.config)
  requirePlainPath(request.path, resource)
  requireFreePath(project, names, resource.path)
  // How users get the claim that names their organization, only the application knows.
  const chosen = chooseParts(request).filter(
    (part) =>
      (part !== 'test' || (resource.tenant !== 'token' && isTestable(resource))) &&
      (part !== 'model' || resource.existing === undefined),
  )
  requireImportedParts(project, names.plural, { chosen, skipped: request.skip ?? [] })
  return {
    resource,
    parts: chosen,
    format: request.format !== false,
    overridden: request.singular !== undefined || request.plural !== undefined,
    record: {
      name: names.typed,
      model: resource.existing?.description.model ?? names.model,
      fields: resource.fields.flatMap(toSources),
      ...(resource.existing && { existing: resource.existing.description }),
      options: {
        ...toOptions(resource),
        ...toInflection(names, request, recorded),
      },
    },
  }
}

const nothingRecorded: Pick<ResourceRecord, 'fields' | 'options'> = { fields: [], options: {} }

interface NamedRequest {
  readonly names: ResourceNames
  readonly request: GenerateRequest
  readonly recorded: ResourceRecord | undefined
}

function toResource(
  project: Project,
  { names, request, recorded }: NamedRequest,
): Omit<Resource, 'missingModels' | 'readers' | 'tenantModels'> {
  const { options } = recorded ?? nothingRecorded
  const parent = toParent(project, request, options)
  const chosen = request.actions ?? toDefaultActions(request, recorded)
  const tenant = resolveTenant(project, { request, options, parent })
  const access = resolveAccess({ request, options, parent, tenant }, chosen)
  const key = request.key ?? options['key']
  if (parent !== undefined) requireAccessOfParent(parent, access)
  const existing = resolveExisting(request, recorded, toScopeNames({ access, parent, tenant }))
  const fields = existing?.fields ?? parseFields(toArguments(request, recorded))
  const features = resolveFeatures(request, options, chosen)
  refuseScopeFields(fields, { access, parent, tenant })
  requireDeletable(features.softDelete, fields, chosen)
  return {
    names,
    fields,
    parent,
    key: resolveKey(fields, key),
    access,
    tenant,
    actions: actions.filter((action) => chosen.includes(action)),
    path: toPath({ names, request, recorded }, { parent, tenant }),
    existing,
    ...features,
    ...(existing && toModelFeatures(existing, chosen)),
    collation: resolveCollation(request.collation ?? options['collation']),
  }
}

// No arguments mean those of the last time.
function toArguments(
  { fields }: GenerateRequest,
  recorded: ResourceRecord | undefined,
): readonly string[] {
  return fields.length > 0 ? fields : (recorded?.fields ?? [])
}

function toParent(
  project: Project,
  { path, under }: GenerateRequest,
  options: ResourceRecord['options'],
): Parent | undefined {
  if (under !== undefined && path !== undefined) {
    throw new CliError('USAGE', '--under and --path exclude each other', {
      hint: 'the path of a resource under another one follows from it',
    })
  }
  const typed = under ?? options['under']
  return typed === undefined ? undefined : resolveParent(project, typed)
}

function toPath(
  { names, request, recorded }: NamedRequest,
  { parent, tenant }: Pick<Resource, 'parent' | 'tenant'>,
): string {
  const chosen = request.path ?? recorded?.options['path']
  if (chosen !== undefined) return chosen
  if (parent === undefined) return toDefaultPath(names.plural, tenant)
  return `${parent.path}/:${parent.param}/${names.plural}`
}

function findMissingModels(
  project: Project,
  { existing, fields, names }: Pick<Resource, 'existing' | 'fields' | 'names'>,
): readonly string[] {
  const known = new Set([names.model, ...(existing?.description.loaded ?? [])])
  // In an adopted application, another model can have the name.
  if (!isAdopted(project.root)) known.add(accountModel)
  for (const record of Object.values(project.manifest.resources)) known.add(record.model)
  return toReferredModels(fields).filter((model) => !known.has(model))
}

// Models with owners, and those that not every user can read. Without scopes, nothing is known of a caller.
function findReaders(
  project: Project,
  {
    access,
    actions: own,
    fields,
    names,
  }: Pick<Resource, 'access' | 'actions' | 'fields' | 'names'>,
): Resource['readers'] {
  const readers = new Map([[names.model, toReaders(access, own)]])
  for (const { model, options } of Object.values(project.manifest.resources)) {
    if (model === names.model) continue
    const [other, chosen] = readAccess(options)
    readers.set(model, toReaders(other, chosen, isScoped(access)))
  }
  return Object.fromEntries(
    toReferredModels(fields).flatMap((model) => {
      const words = readers.get(model)
      return words ? [[model, words]] : []
    }),
  )
}

// Undefined if every user reads every document, and no document has an owner. A resource that does not restrict its own
// callers refers to all documents, and says so of those with owners.
function toReaders(
  access: ResourceAccess,
  own: readonly ActionName[],
  isForScoped = isScoped(access),
): readonly string[] | undefined {
  if (!isForScoped) return isOwned(access) ? ['public'] : undefined
  const words = access.of[own.includes('get') ? 'get' : 'list']
  return isOwned(access) || isRestricted(words) ? words : undefined
}

function toOptions(resource: Resource): Readonly<Record<string, string>> {
  const { access, collation, key, names, parent, path, tenant, timestamps } = resource
  return {
    ...(tenant !== undefined && { tenant }),
    ...(access.text !== 'public' && { access: access.text }),
    ...(parent !== undefined && { under: parent.plural }),
    ...(key !== undefined && { key: key.name }),
    ...(path !== toDefaultPath(names.plural, tenant) && { path }),
    ...(resource.actions.length < actions.length && { actions: resource.actions.join(',') }),
    ...(!timestamps && { timestamps: 'false' }),
    ...toSwitches(resource),
    ...(collation !== undefined && { collation }),
  }
}

// Noted so that destroy can take the rule back.
function toInflection(
  names: ResourceNames,
  request: GenerateRequest,
  recorded: ResourceRecord | undefined,
): Readonly<Record<string, string>> {
  if (request.singular !== undefined || request.plural !== undefined) {
    return { inflection: toInflectionRule(names).join(':') }
  }
  const inflection = recorded?.options['inflection']
  return inflection === undefined ? {} : { inflection }
}

function chooseParts({ only, skip }: GenerateRequest): readonly PartName[] {
  const chosen = parts.filter(
    (part) => (only === undefined || only.includes(part)) && !(skip ?? []).includes(part),
  )
  if (chosen.length > 0) return chosen
  throw new CliError('USAGE', '--only and --skip leave nothing to generate')
}

function requireSameSpelling(names: ResourceNames, recorded: ResourceRecord | undefined): void {
  if (recorded === undefined || recorded.name === names.typed) return
  throw new CliError(
    'NAME_TAKEN',
    `"${names.typed}" is the resource "${recorded.name}", which exists already`,
    {
      hint: `use its name: ${apiCommand} generate resource ${quoteForShell(recorded.name)}`,
    },
  )
}

function requireFreeModel(project: Project, names: ResourceNames): void {
  for (const [plural, { model, name }] of Object.entries(project.manifest.resources)) {
    if (plural === names.plural || model !== names.model) continue
    throw new CliError('NAME_TAKEN', `model ${model} belongs to the resource "${name}" already`)
  }
}

// The generated code reads only the parameters that `--under` and `--key` add.
function requirePlainPath(
  path: string | undefined,
  { names: { typed }, tenant }: Pick<Resource, 'names' | 'tenant'>,
): void {
  if (path !== undefined && tenant === 'path') {
    throw new CliError('USAGE', '--tenant and --path exclude each other', {
      hint: 'the path names the organization: /api/orgs/:org; "tenants" in api.config.json changes that',
    })
  }
  const parameter = /\/:(\w+)/.exec(path ?? '')?.[1]
  if (parameter === undefined) return
  throw new CliError('USAGE', `--path ${path}: the generated code does not read :${parameter}`, {
    hint: `nest it under another resource: ${apiCommand} generate resource ${quoteForShell(typed)} --under <resource>`,
  })
}

function requireFreePath(project: Project, names: ResourceNames, path: string): void {
  if (!/^(\/(:\w+|[\w.~-]+))+$/.test(path) || path.length > 120) {
    throw new CliError('USAGE', `--path ${path} is not a path`, { hint: 'for example /api/posts' })
  }
  if (path === '/api/v1/auth' || path.startsWith('/api/v1/auth/') || path.startsWith('/health')) {
    throw new CliError('NAME_TAKEN', `${path} belongs to the framework`)
  }
  if (/^\/api\/orgs\/:org\/(members|invitations)(\/|$)/.test(path)) {
    throw new CliError('NAME_TAKEN', `${path} is a route of organizations already`, {
      hint: 'choose another name',
    })
  }
  for (const [plural, record] of Object.entries(project.manifest.resources)) {
    const tenant = readTenant(record.options['tenant'])
    const taken = record.options['path'] ?? toDefaultPath(plural, tenant)
    if (plural === names.plural || taken !== path) continue
    throw new CliError('NAME_TAKEN', `${path} is the path of the resource "${record.name}" already`)
  }
}

function requireDeletable(
  softDelete: boolean,
  fields: readonly Field[],
  chosen: readonly ActionName[],
): void {
  if (!softDelete) return
  if (fields.some(({ name }) => name === 'deletedAt')) {
    throw new CliError('INVALID_FIELD', 'field "deletedAt" is set by --soft-delete; leave it out')
  }
  if (chosen.includes('delete')) return
  throw new CliError('USAGE', '--soft-delete needs the action delete', {
    hint: 'add it to --actions, or leave out --soft-delete',
  })
}

// Fields that the server sets are not fields that a client sends.
function refuseScopeFields(
  fields: readonly Field[],
  { access, parent, tenant }: Pick<Resource, 'access' | 'parent' | 'tenant'>,
): void {
  for (const { name } of fields) {
    if (name === 'organization' && tenant !== undefined) {
      throw new CliError('INVALID_FIELD', 'field "organization" is set by --tenant; leave it out')
    }
    if (name === 'owner' && isOwned(access)) {
      throw new CliError('INVALID_FIELD', 'field "owner" is set by --access owner; leave it out')
    }
    if (name !== parent?.field) continue
    const message = `field "${name}" is set by --under ${parent.plural}; leave it out`
    throw new CliError('INVALID_FIELD', message)
  }
}
