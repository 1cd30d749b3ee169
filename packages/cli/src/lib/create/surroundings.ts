import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import picomatch from 'picomatch'
import { parse } from 'yaml'
import { readText } from '../files/plan.ts'
import { readPackageJson } from '../project/package-json.ts'

/** What a project is part of; the paths are those of roots. */
export interface Surroundings {
  /** The workspace that has the project as a member. */
  readonly workspace: string | undefined
  /** A workspace around it, of which the project is not a member. */
  readonly otherWorkspace: string | undefined
  /** The repository around it; undefined if the project is the root of one, or in none. */
  readonly repository: string | undefined
}

/** The same as paths of the project from there, with slashes: `apps/api`. */
export interface Place {
  readonly workspace?: string | undefined
  readonly repository?: string | undefined
}

export function findSurroundings(project: string): Surroundings {
  const around = findAbove(project, (folder) => readMembers(folder) !== undefined)
  const isMember =
    around !== undefined && includes(readMembers(around) ?? [], toPath(around, project))
  const isRepository = existsSync(join(project, '.git'))
  return {
    workspace: isMember ? around : undefined,
    otherWorkspace: isMember ? undefined : around,
    repository: isRepository
      ? undefined
      : findAbove(project, (folder) => existsSync(join(folder, '.git'))),
  }
}

// A workspace outside of a repository will become one.
export function toPlace(project: string, { repository, workspace }: Surroundings): Place {
  const root = repository ?? workspace
  return {
    workspace: workspace === undefined ? undefined : toPath(workspace, project),
    repository: root === undefined ? undefined : toPath(root, project),
  }
}

function toPath(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/')
}

function findAbove(folder: string, isRoot: (folder: string) => boolean): string | undefined {
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    if (isRoot(parent)) return parent
    if (dirname(parent) === parent) return undefined
  }
}

// The patterns of the members: pnpm reads them in its own file, the others in package.json.
function readMembers(root: string): readonly string[] | undefined {
  const text = readText(join(root, 'pnpm-workspace.yaml'))
  if (text !== undefined) return toPatterns(readYaml(text)['packages'])
  const { workspaces } = readPackageJson(root)
  if (workspaces === undefined) return undefined
  return toPatterns(Array.isArray(workspaces) ? workspaces : Object(workspaces).packages)
}

function readYaml(text: string): Record<string, unknown> {
  try {
    return Object(parse(text))
  } catch {
    // pnpm reports it with a better message.
    return {}
  }
}

function toPatterns(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

// The last pattern that matches decides; one that begins with `!` excludes.
function includes(patterns: readonly string[], path: string): boolean {
  const last = patterns.findLast((pattern) => picomatch(clean(pattern.replace(/^!/, '')))(path))
  return last !== undefined && !last.startsWith('!')
}

function clean(pattern: string): string {
  return pattern.replace(/^\.?\//, '').replace(/\/$/, '')
}
