import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { closestName } from '@create-api/core/internal/closest-name'
import { CliError } from '../errors/cli-error.ts'
import { draftSuffix } from '../files/apply.ts'
import { type ResourceNames, toResourceNames } from '../names/resource-names.ts'
import { type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { type PartName, parts, toPartPath } from './resource.ts'

export interface KnownResource {
  readonly names: ResourceNames
  readonly record: ResourceRecord
}

export function requireRecord(project: Project, typed: string): KnownResource {
  const found = findRecord(project, typed)
  if (found !== undefined) return found
  const { resources } = project.manifest
  const known = Object.values(resources).map(({ name }) => name)
  // The name may have been typed in the singular: psot for posts.
  const { plural } = toResourceNames(typed, project.config.inflections)
  const near = closestName(typed, known) ?? closestName(plural, Object.keys(resources))
  const all =
    known.length === 0
      ? 'no resource has been generated yet'
      : `the resources are ${known.join(', ')}`
  throw new CliError('UNKNOWN_RESOURCE', `no resource "${typed}" was generated here`, {
    hint: near === undefined ? all : `did you mean "${near}"? ${all}`,
  })
}

// Only what was generated is generated again: without a file, the resource was mounted.
export function toRecordedParts({ names: { plural }, record }: KnownResource): readonly PartName[] {
  const paths = Object.keys(record.files)
  const found = parts.filter((part) => paths.some((path) => path.includes(`/${plural}.${part}.`)))
  return found.length > 0 ? found : ['mount']
}

// Finds a resource that is not in the manifest by the names of its files, those that a killed run
// left included.
export function findByFiles(project: Project, typed: string): KnownResource | undefined {
  if (findRecord(project, typed) !== undefined) return undefined
  const names = toResourceNames(typed, project.config.inflections)
  const { model, plural } = names
  const paths = parts
    .map((part) => toPartPath(project.config, plural, part))
    .flatMap((path) => [path, path + draftSuffix])
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
