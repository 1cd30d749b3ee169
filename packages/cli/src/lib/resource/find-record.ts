import { CliError } from '../errors.ts'
import { type ResourceNames, toResourceNames } from '../names/resource-names.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { suggest } from '../suggest.ts'

/** A resource the manifest knows. */
export interface KnownResource {
  readonly names: ResourceNames
  readonly record: ResourceRecord
}

/**
 * Finds a generated resource.
 *
 * @param project the project
 * @param typed the name in any spelling
 * @returns what the manifest says of it
 * @throws CliError `UNKNOWN_RESOURCE` that names those there are
 */
export function requireRecord(project: Project, typed: string): KnownResource {
  const names = toResourceNames(typed, project.config.inflections)
  const record = project.manifest.resources[names.plural]
  if (record !== undefined) return { names, record }
  const known = Object.values(project.manifest.resources).map(({ name }) => name)
  const near = suggest(typed, known)
  const all = known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}`
  throw new CliError('UNKNOWN_RESOURCE', `no resource "${typed}" was generated here`, {
    hint: near === undefined ? all : `did you mean "${near}"? ${all}`,
  })
}
