import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CliError } from '../errors.ts'
import { type ResourceNames, toResourceNames } from '../names/resource-names.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { suggest } from '../suggest.ts'
import { parts } from './resource.ts'

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
  const found = findRecord(project, typed)
  if (found !== undefined) return found
  const { resources } = project.manifest
  const known = Object.values(resources).map(({ name }) => name)
  // What was typed may be the singular: psot for posts.
  const { plural } = toResourceNames(typed, project.config.inflections)
  const near = suggest(typed, known) ?? suggest(plural, Object.keys(resources))
  const all = known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}`
  throw new CliError('UNKNOWN_RESOURCE', `no resource "${typed}" was generated here`, {
    hint: near === undefined ? all : `did you mean "${near}"? ${all}`,
  })
}

/**
 * Finds a resource that the manifest does not know by its files.
 *
 * @param project the project
 * @param typed the name in any spelling
 * @returns a record of the files that have the names of generated ones, without their hashes;
 * `undefined` when there are none, or when the manifest knows it
 */
export function findByFiles(project: Project, typed: string): KnownResource | undefined {
  if (findRecord(project, typed) !== undefined) return undefined
  const names = toResourceNames(typed, project.config.inflections)
  const { model, plural } = names
  const paths = parts
    .map((part) => posix.join(project.config.resourcesDir, plural, `${plural}.${part}.ts`))
    .filter((path) => existsSync(join(project.root, path)))
  if (paths.length === 0) return undefined
  const files = Object.fromEntries(paths.map((path) => [path, { rendered: '', written: '' }]))
  return { names, record: { name: typed, model, fields: [], options: {}, cli: '', files } }
}

function findRecord(project: Project, typed: string): KnownResource | undefined {
  const names = toResourceNames(typed, project.config.inflections)
  const record = project.manifest.resources[names.plural]
  return record === undefined ? undefined : { names, record }
}
