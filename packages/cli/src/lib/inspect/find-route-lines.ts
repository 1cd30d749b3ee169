import { posix, join } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { parseSource, readStatements } from '../registry/read-registry.ts'

/** Where a route is written down, and with which schemas. */
export interface RoutePlace {
  readonly file: string
  readonly line: number
  /** The expression behind `params`, `query`, `body` and `response`, as far as there is one. */
  readonly schemas: Readonly<Record<string, string>>
}

/**
 * Finds where each route of the registry is written: the router the registry imports, and in its
 * file the object with the route's method and path.
 *
 * @param project the project
 * @returns a place for `GET /api/posts/:id`; routes written in another form are not in it
 */
export async function findRouteLines(project: Project): Promise<ReadonlyMap<string, RoutePlace>> {
  const places = new Map<string, RoutePlace>()
  const registry = readText(join(project.root, project.config.registry))
  if (registry === undefined) return places
  const { imports, mounts } = readStatements(await parseSource(registry))
  for (const { path, router } of mounts) {
    const from = imports.find(({ names }) => [...names.values()].some((n) => n.local === router))
    if (path === undefined || from === undefined) continue
    const file = toFile(project, from.specifier)
    const source = readText(join(project.root, file))
    if (source === undefined) continue
    for (const { method, path: below, ...place } of findRoutes(source)) {
      const whole = below === '/' ? path : path + below
      places.set(`${method.toUpperCase()} ${whole}`, { file, ...place })
    }
  }
  return places
}

function toFile(project: Project, specifier: string): string {
  const folder = posix.dirname(project.config.registry)
  return `${posix.join(folder, specifier).replace(/\.[cm]?[jt]s$/, '')}.ts`
}

interface WrittenRoute extends Omit<RoutePlace, 'file'> {
  readonly method: string
  readonly path: string
}

const head = /defineRoute\(\{\s*method:\s*(['"])(\w+)\1,\s*path:\s*(['"])([^'"]+)\3/g

// Good for the generated form and its hand-written kin; anything else has no line, not a wrong one.
function findRoutes(source: string): readonly WrittenRoute[] {
  const matches = [...source.matchAll(head)]
  return matches.map((match, index) => ({
    method: match[2] ?? '',
    path: match[4] ?? '',
    line: source.slice(0, match.index).split('\n').length,
    schemas: findSchemas(source.slice(match.index, matches[index + 1]?.index)),
  }))
}

// One property a line, `params` alone for `params: params`.
function findSchemas(route: string): Readonly<Record<string, string>> {
  const property = /^\s*(params|query|body|response)(?::\s*(.+?))?,?\s*$/gm
  const found = [...route.matchAll(property)]
  return Object.fromEntries(found.map(([, name = '', code = name]) => [name, code]))
}
