import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import {
  missingRegistry,
  readRegistry,
  type Registry,
  RegistryProblem,
} from '../registry/read-registry.ts'
import { fine, type Finding, problem, warning } from './check.ts'
import { apiCommand } from '../terminal/api-command.ts'

/**
 * Checks markers, mounts and the files they come from.
 *
 * @param project the project
 * @returns what was found
 */
export async function checkRegistry(project: Project): Promise<readonly Finding[]> {
  const { registry: path } = project.config
  const source = readText(join(project.root, path))
  if (source === undefined) {
    return [problem(`${path} ${missingRegistry.message}`, missingRegistry.cure)]
  }
  try {
    const registry = await readRegistry(source)
    return [
      fine(`${path} has its markers`),
      ...checkImports(project, registry),
      ...checkMounts(registry),
      ...checkFolders(project, registry),
    ]
  } catch (error) {
    if (!(error instanceof RegistryProblem)) throw error
    return [problem(`${path} ${error.message}`, error.cure)]
  }
}

function checkImports(project: Project, { imports }: Registry): readonly Finding[] {
  const folder = posix.dirname(project.config.registry)
  return imports.flatMap(({ specifier }) => {
    if (!specifier.startsWith('.')) return []
    const file = `${posix.join(folder, specifier).replace(/\.[cm]?[jt]s$/, '')}.ts`
    if (existsSync(join(project.root, file))) return []
    return [problem(`${project.config.registry} imports ${file}, which is missing`, 'remove it')]
  })
}

function checkMounts({ bound, mounts }: Registry): readonly Finding[] {
  const findings: Finding[] = []
  const seen = new Map<string, string>()
  for (const { path, router } of mounts) {
    if (!bound.has(router)) findings.push(problem(`${router} is mounted but not imported`))
    const other = path === undefined ? undefined : seen.get(path)
    if (other !== undefined && path !== undefined) {
      findings.push(problem(`${path} is mounted twice: ${other} and ${router}`, 'change one path'))
    }
    if (path !== undefined) seen.set(path, router)
  }
  return findings.length > 0 ? findings : [fine(`${mounts.length} routers mounted`)]
}

function checkFolders(project: Project, { imports }: Registry): readonly Finding[] {
  const folder = join(project.root, project.config.resourcesDir)
  if (!existsSync(folder)) return []
  const imported = imports.map(({ specifier }) => specifier)
  return readdirSync(folder).flatMap((name) => {
    if (!existsSync(join(folder, name, `${name}.routes.ts`))) return []
    if (imported.some((specifier) => specifier.includes(`/${name}/${name}.routes`))) return []
    const command = `${apiCommand} generate resource ${project.manifest.resources[name]?.name ?? name}`
    return [warning(`${name} has routes, but nothing mounts them`, command)]
  })
}
