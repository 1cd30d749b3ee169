import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { type WantedFile } from '../files/change.ts'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { manifestFile, printManifest } from '../project/manifest.ts'
import { printJson } from '../project/print-json.ts'
import { version } from '../kernel/version.ts'
import { type PackedPackage } from './checkout.ts'
import { chooseDependencies } from './dependencies.ts'
import { type PackageManager, type PackageManagerName } from './package-manager.ts'
import { type ProjectTemplate } from './project-plan.ts'

export interface ProjectSource {
  readonly name: string
  readonly template: ProjectTemplate
  readonly manager: PackageManager
  /** Tarballs for the project; empty when its packages come from a registry. */
  readonly packed: readonly PackedPackage[]
  readonly workspace?: string | undefined
}

export async function renderProject(source: ProjectSource): Promise<readonly WantedFile[]> {
  const data = toProjectData(source)
  const names = listTemplates('').filter((name) => isWanted(name, source))
  const files = await Promise.all(
    names.map(async (name): Promise<WantedFile> => {
      const text = await renderTemplate(loadTemplate(`project/${name}`), data)
      const path = toTargetPath(name)
      // It holds a secret.
      return path === '.env'
        ? { kind: 'write', path, text, mode: 0o600 }
        : { kind: 'write', path, text }
    }),
  )
  const { template } = source
  const manifest = printManifest({ version: 1, cli: version, template, resources: {} })
  return [
    ...files,
    { kind: 'write', path: manifestFile, text: manifest },
    ...source.packed.map(({ content, file }) => ({
      kind: 'write' as const,
      path: `vendor/${file}`,
      text: content.toString('latin1'),
      encoding: 'latin1' as const,
    })),
  ]
}

function isWanted(file: string, { manager, template, workspace }: ProjectSource): boolean {
  if (template === 'minimal' && notMinimal.some((start) => file.startsWith(start))) return false
  const owner = settingsOf.get(file)
  // A package of a workspace uses the settings of the workspace.
  return owner === undefined || (manager.name === owner && workspace === undefined)
}

// Containers, continuous integration and coding agents.
const notMinimal = ['.dockerignore', '.github/', 'AGENTS.md', 'Dockerfile', 'compose.yaml']

const settingsOf: ReadonlyMap<string, PackageManagerName> = new Map([
  ['pnpm-workspace.yaml.hbs', 'pnpm'],
  ['.yarnrc.yml', 'yarn'],
])

function toProjectData({ manager, name, packed, template }: ProjectSource): object {
  const { dependencies, devDependencies, overrides, pnpmOverrides } = chooseDependencies(
    packed,
    manager.name,
  )
  const extra = printJson(overrides).trim().slice(1, -1).trim()
  return {
    name,
    title: name.replace(/^@[^/]*\//, ''),
    pm: manager,
    containers: template === 'default',
    vendored: packed.length > 0,
    dependencies: indent(printJson(dependencies)),
    devDependencies: indent(printJson(devDependencies)),
    overrides: extra,
    pnpmOverrides,
    secret: randomBytes(32).toString('base64url'),
  }
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
