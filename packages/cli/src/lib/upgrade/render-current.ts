import { CliError } from '../errors/cli-error.ts'
import { fromManagerId, managerIds } from '../create/package-manager.ts'
import { findNameFault } from '../create/project-name.ts'
import {
  type ProjectSource,
  renderProjectFiles,
  secretsFile,
  toProjectRecord,
} from '../create/project-files.ts'
import { projectTemplates } from '../create/project-plan.ts'
import { findSurroundings, toPlace } from '../create/surroundings.ts'
import { version } from '../package/own-package.ts'
import { manifestFile, type ProjectRecord, type ResourceRecord } from '../project/manifest.ts'
import { type Project } from '../project/open-project.ts'
import { parsePackageJson } from '../project/package-json.ts'
import { type Mount } from '../registry/edit-registry.ts'
import { requireRecord, toRecordedParts } from '../resource/find-record.ts'
import { formatRendered, hashRendered } from '../resource/format-rendered.ts'
import { findForeignFormatter } from '../resource/project-formatter.ts'
import { type PartName } from '../resource/resource.ts'
import { renderResource, toRouterSpecifier } from '../resource/render-resource.ts'
import { resolveRequest } from '../resource/resolve-request.ts'
import { type TextFile } from './pair-moved.ts'

// What this version of the generator writes.
export interface Rendering<Entry> {
  readonly files: readonly TextFile[]
  /** Its entry of the manifest. */
  readonly record: Entry
}

export interface ResourceRendering extends Rendering<ResourceRecord> {
  /** Its lines in the registry. */
  readonly mount: Mount
}

export async function renderCurrentProject(
  project: Project,
  readCreated: (path: string) => string | undefined,
): Promise<Rendering<ProjectRecord>> {
  const source = toSource(project, readCreated)
  const rendered = await renderProjectFiles(source)
  const format = findForeignFormatter(project)
  const files = await Promise.all(
    rendered
      .filter(({ path }) => path !== secretsFile)
      .map(async ({ path, text }) => {
        const formatted = path.endsWith('.ts') ? await format?.(path, text) : undefined
        return { path, text: formatted ?? text }
      }),
  )
  return { files, record: toProjectRecord(source, files) }
}

// Projects that do not record it show in their files what they were created with.
function toSource(
  { manifest: { project: record, template }, root }: Project,
  read: (path: string) => string | undefined,
): ProjectSource {
  const { workspace, repository } = toPlace(root, findSurroundings(root))
  const manifest = parsePackageJson(read('package.json'))
  const packed = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(
    ([name, range]) => {
      const file = /^file:vendor\/(.+)$/.exec(range)?.[1]
      return file === undefined ? [] : [{ name, file, content: Buffer.alloc(0) }]
    },
  )
  const pm = record?.pm ?? guessManager(manifest.scripts?.['check'], read)
  const manager = fromManagerId(requireKnown('project.pm', pm, managerIds))
  const settings = settingsFiles.get(manager.name)
  const inWorkspace =
    record === undefined
      ? settings !== undefined && read(settings) === undefined
      : record.workspace === true
  return {
    name: requireName(record?.name ?? manifest.name ?? 'service', record && manifestFile),
    template: requireKnown('template', template, projectTemplates),
    manager,
    client: record?.client === true,
    packed,
    place: { workspace: inWorkspace ? workspace : undefined, repository },
  }
}

const settingsFiles: ReadonlyMap<string, string> = new Map([
  ['pnpm', 'pnpm-workspace.yaml'],
  ['yarn', '.yarnrc.yml'],
])

function requireName(name: string, file = 'package.json'): string {
  const fault = findNameFault(name)
  if (fault === undefined) return name
  const key = file === manifestFile ? 'project.name' : 'name'
  throw new CliError('INVALID_CONFIG', `${key} "${name}" of ${file} cannot be a name: ${fault}`, {
    files: [file],
  })
}

function requireKnown<Name extends string>(
  key: string,
  value: string,
  known: readonly Name[],
): Name {
  const found = known.find((name) => name === value)
  if (found !== undefined) return found
  throw new CliError('INVALID_CONFIG', `${key} "${value}" of ${manifestFile} is unknown`, {
    hint: `this version knows ${known.join(', ')}`,
    files: [manifestFile],
  })
}

function guessManager(
  check: string | undefined,
  read: (path: string) => string | undefined,
): string {
  const name = /^(npm|pnpm|yarn|bun) run/.exec(check ?? '')?.[1] ?? 'npm'
  const image = read('Dockerfile') ?? ''
  return name === 'yarn' && image.includes('--immutable') ? 'yarn-modern' : name
}

export async function renderCurrentResource(
  project: Project,
  plural: string,
  recorded: ResourceRecord,
): Promise<ResourceRendering> {
  const only = toRecordedParts(requireRecord(project, recorded.name))
  const { record, resource } = resolveRecord(project, recorded, only)
  const rendered = await renderResource(project, resource, only)
  const texts = await formatRendered(project, rendered)
  const others = Object.entries(recorded.files).filter(([path]) => !isPart(path, plural))
  const { names, path } = resource
  return {
    files: rendered.map(({ path: file }, index) => ({ path: file, text: texts[index] ?? '' })),
    mount: { router: names.router, specifier: toRouterSpecifier(project, plural), path },
    record: {
      ...record,
      cli: version,
      files: { ...hashRendered(rendered, texts), ...Object.fromEntries(others) },
    },
  }
}

// Other files of a resource are scripts, which are written once.
export function isPart(path: string, plural: string): boolean {
  return path.split('/').at(-1)?.startsWith(`${plural}.`) === true
}

// What a resource was generated with; its error names the resource.
export function resolveRecord(
  project: Project,
  { fields, name }: ResourceRecord,
  only: readonly PartName[],
): ReturnType<typeof resolveRequest> {
  try {
    return resolveRequest(project, { name, fields, only })
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause
    throw new CliError(cause.code, `the resource "${name}" cannot be upgraded: ${cause.message}`, {
      hint: cause.hint,
      details: cause.details,
      cause,
    })
  }
}
