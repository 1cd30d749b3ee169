import { closestName } from '@create-api/core/internal/closest-name'
import { CliError } from '../kernel/errors.ts'
import { camel, toResourceNames } from '../names/resource-names.ts'
import { type Project } from '../project/open-project.ts'
import { type AccessChoice, type Parent, readAccess } from './resource.ts'
import { apiCommand } from '../terminal/api-command.ts'

export function resolveParent(project: Project, typed: string): Parent {
  const names = toResourceNames(typed, project.config.inflections)
  const { [names.plural]: record, ...others } = project.manifest.resources
  if (record === undefined) {
    const near = closestName(names.plural, Object.keys(others))
    throw new CliError('USAGE', `--under ${typed}: no such resource was generated here`, {
      hint:
        near === undefined
          ? `first: ${apiCommand} generate resource ${names.plural}`
          : `did you mean "${near}"?`,
    })
  }
  for (const [option, reason] of [
    ['under', 'is nested itself, and one level is the most'],
    ['key', 'is not addressed by its id'],
  ] as const) {
    if (record.options[option] === undefined) continue
    throw new CliError('USAGE', `--under ${typed}: "${record.name}" ${reason}`, {
      hint: `give it a field instead: ${camel(names.singular.split('-'))}:ref:${record.model}`,
    })
  }
  return {
    model: record.model,
    plural: names.plural,
    label: names.label,
    field: names.one,
    param: `${names.one}Id`,
    path: record.options['path'] ?? `/api/${names.plural}`,
    access: readAccess(record.options['access']),
  }
}

export function requireAccessOfParent(parent: Parent, access: AccessChoice): void {
  if (parent.access !== 'owner' || access === 'owner') return
  throw new CliError(
    'USAGE',
    `${parent.plural} belong to their owners, so what is under them must, too`,
    { hint: 'use --access owner, or leave --access out' },
  )
}
