import { posix, join } from 'node:path'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { parseSource, readStatements } from '../registry/read-registry.ts'

export interface RoutePlace {
  readonly file: string
  readonly line: number
  /** Expressions of `params`, `query`, `body` and `response`. */
  readonly schemas: Readonly<Record<string, string>>
}

// Maps `GET /api/posts/:id` to where the route is written: the registry imports a router, whose file
// has an object with this method and path.
export async function findRouteLines(project: Project): Promise<ReadonlyMap<string, RoutePlace>> {
  const places = new Map<string, RoutePlace>()
  const registry = readText(join(project.root, project.config.registry))
  if (registry === undefined) return places
  const { imports, mounts } = readStatements(await parseSource(registry))
  for (const { path, router } of mounts) {
    const from = imports.find(({ names }) => [...names.values()].some((n) => n.local === router))
    if (path === undefined || from === undefined) continue
    const file = toSourceFile(project, from.specifier)
    const source = readText(join(project.root, file))
    if (source === undefined) continue
    for (const { method, path: below, ...place } of findRoutes(source)) {
      const whole = below === '/' ? path : path + below
      places.set(`${method.toUpperCase()} ${whole}`, { file, ...place })
    }
  }
  return places
}

// The source file that the registry imports.
export function toSourceFile(project: Project, specifier: string): string {
  const folder = posix.dirname(project.config.registry)
  return `${posix.join(folder, specifier).replace(/\.[cm]?[jt]s$/, '')}.ts`
}

interface WrittenRoute extends Omit<RoutePlace, 'file'> {
  readonly method: string
  readonly path: string
}

const head = /defineRoute\(\{\s*method:\s*(['"])(\w+)\1,\s*path:\s*(['"])([^'"]+)\3/g

// Finds generated routes and routes written like them; any other has no line rather than a wrong one.
function findRoutes(source: string): readonly WrittenRoute[] {
  const matches = [...source.matchAll(head)]
  return matches.map((match, index) => ({
    method: match[2] ?? '',
    path: match[4] ?? '',
    line: source.slice(0, match.index).split('\n').length,
    schemas: findSchemas(source.slice(match.index, matches[index + 1]?.index)),
  }))
}

// One property per line, `params` alone for `params: params`.
function findSchemas(route: string): Readonly<Record<string, string>> {
  const property = /^\s*(params|query|body|response)(?::\s*(.+?))?,?\s*$/gm
  const found = [...route.matchAll(property)]
  return Object.fromEntries(found.map(([, name = '', code = name]) => [name, code]))
}
