import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { draftSuffix } from '../files/apply.ts'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import {
  missingRegistry,
  readRegistry,
  type Registry,
  RegistryProblem,
} from '../registry/read-registry.ts'
import { toSourceFile } from './find-route-lines.ts'
import { ok, type Finding, problem, warning } from './findings.ts'
import { parts, toPartPath } from '../resource/resource.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'

export async function checkRegistry(project: Project): Promise<readonly Finding[]> {
  const { registry: path } = project.config
  const source = readText(join(project.root, path))
  if (source === undefined) {
    return [problem(`${path} ${missingRegistry.message}`, missingRegistry.fix)]
  }
  try {
    const registry = await readRegistry(source)
    return [
      ok(`${path} has its markers`),
      ...checkImports(project, registry),
      ...checkMounts(registry),
      ...checkFolders(project, registry),
    ]
  } catch (error) {
    if (!(error instanceof RegistryProblem)) throw error
    return [problem(`${path} ${error.message}`, error.fix)]
  }
}

function checkImports(project: Project, { imports }: Registry): readonly Finding[] {
  return imports.flatMap(({ specifier }) => {
    if (!specifier.startsWith('.')) return []
    const file = toSourceFile(project, specifier)
    if (existsSync(join(project.root, file))) return []
    return [
      problem(`${project.config.registry} imports ${file}, which is missing`, 'remove the import'),
    ]
  })
}

function checkMounts({ bound, mounts }: Registry): readonly Finding[] {
  const findings: Finding[] = []
  const seen = new Map<string, string>()
  for (const { path, router } of mounts) {
    if (!bound.has(router)) findings.push(problem(`${router} is mounted but not imported`))
    const other = path === undefined ? undefined : seen.get(path)
    if (other !== undefined && path !== undefined) {
      findings.push(
        problem(`${path} is mounted twice: ${other} and ${router}`, 'change one of the paths'),
      )
    }
    if (path !== undefined) seen.set(path, router)
  }
  return findings.length > 0 ? findings : [ok(`${mounts.length} mounted routers`)]
}

function checkFolders(project: Project, { imports }: Registry): readonly Finding[] {
  const { extension, resourcesDir } = project.config
  const folder = join(project.root, resourcesDir)
  if (!existsSync(folder)) return []
  const imported = imports.map(({ specifier }) => specifier)
  return readdirSync(folder).flatMap((name) => {
    if (hasDrafts(project, name)) {
      return [
        problem(
          `${name} is incomplete, because a run was interrupted`,
          `${apiCommand} destroy resource ${quoteForShell(name)} --force`,
        ),
      ]
    }
    if (imported.some((specifier) => specifier.includes(`/${name}/${name}.routes`))) return []
    if (!existsSync(join(folder, name, `${name}.routes${extension}`))) return []
    const typed = project.manifest.resources[name]?.name ?? name
    const command = `${apiCommand} generate resource ${quoteForShell(typed)}`
    return [warning(`the routes of ${name} are not mounted`, command)]
  })
}

function hasDrafts({ config, root }: Project, plural: string): boolean {
  return parts.some((part) =>
    existsSync(join(root, toPartPath(config, plural, part) + draftSuffix)),
  )
}
