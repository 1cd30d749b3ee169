import { didYouMean } from '../errors/suggest-name.ts'
import { CliError } from '../errors/cli-error.ts'
import { camel, toResourceNames } from '../names/resource-names.ts'
import { type Project } from '../project/open-project.ts'
import { toIdentifier } from '../models/identifier.ts'
import { type ModelDescription } from '../project/model-description.ts'
import { parseFields } from '../fields/parse-fields.ts'
import { resolveKey } from './resolve-key.ts'
import {
  isOwned,
  isRestricted,
  isScoped,
  readAccess,
  type ResourceAccess,
  toRoles,
} from './access.ts'
import { type Parent, readTenant, type Resource, toDefaultPath } from './resource.ts'
import { apiCommand } from '../terminal/api-command.ts'

export function resolveParent(project: Project, typed: string): Parent {
  const names = toResourceNames(typed, project.config.inflections)
  const { [names.plural]: record, ...others } = project.manifest.resources
  if (record === undefined) {
    throw new CliError('USAGE', `--under ${typed}: no such resource was generated here`, {
      hint:
        didYouMean(names.plural, Object.keys(others)) ??
        `generate it first: ${apiCommand} generate resource ${names.plural}`,
    })
  }
  if (record.options['under'] !== undefined) {
    throw new CliError(
      'USAGE',
      `--under ${typed}: "${record.name}" is nested itself, and only one level is supported`,
      {
        hint: `refer to it by a field instead: ${camel(names.singular.split('-'))}:ref:${record.model}`,
      },
    )
  }
  const tenant = readTenant(record.options['tenant'])
  requirePlainIds(record.existing, typed)
  const [access] = readAccess(record.options)
  const key = resolveKey(parseFields(record.fields), record.options['key'])
  return {
    model: record.model,
    plural: names.plural,
    label: names.label,
    field: names.one,
    param: names.one + capitalise(key?.name ?? 'id'),
    key,
    path: record.options['path'] ?? toDefaultPath(names.plural, tenant),
    access,
    tenant,
    softDelete: record.options['soft-delete'] === 'true',
    existing: record.existing,
  }
}

// The field that names the parent is an ObjectId.
function requirePlainIds(existing: ModelDescription | undefined, typed: string): void {
  if (existing === undefined || toIdentifier(existing).schema === undefined) return
  throw new CliError('USAGE', `--under ${typed}: its ids are not ObjectIds`, {
    hint: 'write the nested routes by hand: docs/resources.md',
  })
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

export function requireAccessOfParent(parent: Parent, access: ResourceAccess): void {
  const words = Object.values(access.of).flat()
  if (!isPrivate(parent) || !words.some((word) => word === 'public' || word === 'user')) return
  throw new CliError(
    'USAGE',
    `${parent.plural} belong to their owners, so documents under them must too`,
    { hint: 'use --access owner, or leave --access out' },
  )
}

// Whether only some users can read it.
export function isPrivate({ access }: Parent): boolean {
  return isOwned(access) && access.of.get.includes('owner')
}

// Who reaches the parent in the path, as alternatives: those who can read it, and the roles that the access of the
// resource admits to what is under any parent. Undefined if it is looked up among all documents.
export function toParentReaders({
  access,
  parent,
}: Pick<Resource, 'access' | 'parent'>): readonly string[] | undefined {
  if (!parent || !isScoped(access) || !isRestricted(parent.access.of.get)) return undefined
  return [...new Set([...parent.access.of.get, ...toRoles(access).map((role) => `role:${role}`)])]
}
