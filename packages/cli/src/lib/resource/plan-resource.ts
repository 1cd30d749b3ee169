import { join } from 'node:path'
import { findExportedNames } from '../code/exported-names.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { configFile } from '../project/config.ts'
import { editManifest, type FileHashes, manifestFile } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { version } from '../package/own-package.ts'
import { toRules } from './access.ts'
import { formatRendered, hashRendered, type ReadFile } from './format-rendered.ts'
import { planMount } from './plan-mount.ts'
import { rememberInflection } from './inflections.ts'
import { renderResource, toRouterSpecifier } from './render-resource.ts'
import { type GenerateRequest, type ResolvedRequest, resolveRequest } from './resolve-request.ts'
import { type PartName, type Resource } from './resource.ts'

export interface ResourcePlan {
  readonly project: Project
  readonly resource: Resource
  readonly parts: readonly PartName[]
  readonly files: readonly WantedFile[]
  /** Whether it needs organizations, and the app does not mention them. */
  readonly lacksTenants: boolean
  /** Whether it emits events, and the app does not mention jobs, so that nothing handles them. */
  readonly lacksJobs: boolean
  /** Rules of its access that the application does not export yet. */
  readonly lackedRules: readonly string[]
}

// Reads the project, writes nothing.
export async function planResource(
  project: Project,
  request: GenerateRequest,
  read: ReadFile = (path) => readText(join(project.root, path)),
): Promise<ResourcePlan> {
  const resolved = resolveRequest(project, request)
  const { resource } = resolved
  const rendered = await renderResource(project, resource, resolved.parts)
  const known = project.manifest.resources[resource.names.plural]?.files ?? {}
  const texts = await formatRendered(project, rendered, {
    known,
    read,
    format: resolved.format,
  })
  const mount = {
    router: resource.names.router,
    specifier: toRouterSpecifier(project, resource.names.plural),
    path: resource.path,
  }
  const registry = resolved.parts.includes('mount')
    ? [await planMount(project, mount, { read, format: resolved.format })]
    : []
  const files: WantedFile[] = rendered.map(({ path }, index) => ({
    kind: 'write',
    path,
    text: texts[index] ?? '',
  }))
  const hashes = { ...known, ...hashRendered(rendered, texts) }
  return {
    project,
    resource,
    parts: resolved.parts,
    lacksTenants: resource.tenant !== undefined && !mentions('tenants', project, read),
    lacksJobs: resource.events && !mentions('jobs', project, read),
    lackedRules: await findLackedRules(project, resource, read),
    files: [
      ...files,
      ...registry,
      ...rememberInflection(project, resolved, read(configFile) ?? '{}'),
      manifestEdit(project, resolved, { hashes, before: read(manifestFile) }),
    ],
  }
}

function mentions(option: string, { config }: Project, read: ReadFile): boolean {
  const text = read(`${config.srcDir}/app${config.extension}`) ?? ''
  return new RegExp(String.raw`\b${option}\b`).test(text)
}

async function findLackedRules(
  { config }: Project,
  { access }: Resource,
  read: ReadFile,
): Promise<readonly string[]> {
  const rules = toRules(access)
  if (rules.length === 0) return []
  const exported = await findExportedNames(read(`${config.srcDir}/access${config.extension}`) ?? '')
  return rules.filter((rule) => !exported.includes(rule))
}

interface ManifestState {
  readonly hashes: Readonly<Record<string, FileHashes>>
  readonly before: string | undefined
}

function manifestEdit(
  project: Project,
  { record, resource }: ResolvedRequest,
  { hashes, before }: ManifestState,
): WantedFile {
  const { manifest } = project
  const recorded = manifest.resources[resource.names.plural]
  const entry = { ...record, cli: recorded?.cli ?? version, files: hashes }
  // A new version is noted when it changes something, so that a second run changes nothing.
  const same = JSON.stringify(entry) === JSON.stringify(recorded)
  const resources = {
    ...manifest.resources,
    [resource.names.plural]: same ? entry : { ...entry, cli: version },
  }
  return editManifest(before, { ...manifest, resources })
}
