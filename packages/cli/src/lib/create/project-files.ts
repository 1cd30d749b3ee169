import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { type WantedFile } from '../files/change.ts'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { hashText } from '../files/hash-text.ts'
import { manifestFile, printManifest, type ProjectRecord } from '../project/manifest.ts'
import { printJson } from '../project/print-json.ts'
import { version } from '../package/own-package.ts'
import { type PackedPackage, toVendorFiles } from './checkout.ts'
import { chooseDependencies } from './dependencies.ts'
import { type PackageManager, type PackageManagerName, toManagerId } from './package-manager.ts'
import { type ProjectTemplate } from './project-plan.ts'
import { type Place } from './surroundings.ts'

export interface ProjectSource {
  readonly name: string
  readonly template: ProjectTemplate
  readonly manager: PackageManager
  /** Whether it has a typed client of its API. */
  readonly client: boolean
  /** Tarballs for the project; empty when its packages come from a registry. */
  readonly packed: readonly PackedPackage[]
  /** Where it is in its workspace and in its repository. */
  readonly place?: Place | undefined
}

// The files of a new project, its manifest included.
export async function renderProject(source: ProjectSource): Promise<readonly WantedFile[]> {
  const files = await renderProjectFiles(source)
  const { template } = source
  const project = toProjectRecord(source, files)
  const manifest = printManifest({ version: 1, cli: version, template, project, resources: {} })
  return [
    ...files,
    { kind: 'write', path: manifestFile, text: manifest },
    ...toVendorFiles(source.packed),
  ]
}

// It holds secrets of one machine, and is never upgraded.
export const secretsFile = '.env'

export async function renderProjectFiles(
  source: ProjectSource,
): Promise<readonly (WantedFile & { readonly kind: 'write' })[]> {
  const data = await toProjectData(source)
  const names = listTemplates('').filter((name) => isWanted(name, source))
  return Promise.all(
    names.map(async (name) => {
      const text = await renderTemplate(loadTemplate(`project/${name}`), data)
      const path = toTargetPath(name)
      const mode = path === secretsFile ? 0o600 : undefined
      return { kind: 'write' as const, path, text, mode }
    }),
  )
}

export function toProjectRecord(
  { client, manager, name, place }: ProjectSource,
  files: readonly { readonly path: string; readonly text: string }[],
): ProjectRecord {
  return {
    name,
    pm: toManagerId(manager),
    ...(place?.workspace !== undefined && { workspace: true }),
    ...(client && { client: true }),
    cli: version,
    files: Object.fromEntries(
      files
        .filter(({ path }) => path !== secretsFile)
        .map(({ path, text }) => [path, hashText(text)]),
    ),
  }
}

function isWanted(file: string, { client, manager, place, template }: ProjectSource): boolean {
  if (file === clientTest && !client) return false
  if (template === 'minimal' && notMinimal.some((start) => file.startsWith(start))) return false
  const isMember = place?.workspace !== undefined
  // GitHub reads workflows in the root of the repository only; the README has the one for there.
  if (file.startsWith('.github/')) return place?.repository === undefined
  // An image of a member is built in the root of the workspace.
  if (file === '.dockerignore') return !isMember
  if (file === 'Dockerfile.dockerignore') return isMember
  const owner = settingsOf.get(file)
  // A package of a workspace uses the settings of the workspace.
  return owner === undefined || (manager.name === owner && !isMember)
}

const clientTest = 'test/client.test.ts'

// Containers, continuous integration and coding agents.
const notMinimal = ['.dockerignore', '.github/', 'AGENTS.md', 'Dockerfile', 'compose.yaml']

const settingsOf: ReadonlyMap<string, PackageManagerName> = new Map([
  ['pnpm-workspace.yaml.hbs', 'pnpm'],
  ['.yarnrc.yml', 'yarn'],
])

async function toProjectData(source: ProjectSource): Promise<object> {
  const data = toTemplateData(source)
  // A workflow for the root of the repository is part of the README.
  const workflow = data.nested && (await renderTemplate(loadTemplate(workflowTemplate), data))
  return { ...data, workflow }
}

const workflowTemplate = 'project/.github/workflows/ci.yml.hbs'

function toTemplateData(source: ProjectSource) {
  const { client, manager, name, packed, place, template } = source
  const { dependencies, devDependencies, overrides, pnpmOverrides } = chooseDependencies(source)
  const extra = printJson(overrides).trim().slice(1, -1).trim()
  return {
    name,
    title: name.replace(/^@[^/]*\//, ''),
    pm: manager,
    client,
    containers: template === 'default',
    member: toMember(source),
    nested:
      template === 'default' && place?.repository !== undefined
        ? { path: place.repository }
        : undefined,
    vendored: packed.length > 0,
    dependencies: indent(printJson(dependencies)),
    devDependencies: indent(printJson(devDependencies)),
    overrides: extra,
    pnpmOverrides,
    secret: randomBytes(32).toString('base64url'),
  }
}

// How a member of a workspace is built in the root.
function toMember({ manager, name, place }: ProjectSource) {
  const path = place?.workspace
  if (path === undefined) return undefined
  const root = path.replaceAll(/[^/]+/g, '..')
  return { path, root, ...manager.toMemberCommands({ path, name }) }
}

function indent(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ')
}

function listTemplates(folder: string): readonly string[] {
  const entries = readdirSync(join(templatesRoot, 'project', folder), { withFileTypes: true })
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? listTemplates(path) : [path]
    })
}

// npm leaves .gitignore out of packages and would publish .env, so templates have other names.
function toTargetPath(name: string): string {
  return name.replace(/\.hbs$/, '').replace(/^_/, '.')
}
