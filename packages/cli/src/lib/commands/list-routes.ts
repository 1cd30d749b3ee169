import { findRouteLines } from '../inspect/find-route-lines.ts'
import { inspectApp, isPublicWrite, type ServedRoute } from '../inspect/inspect-app.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Outcome } from '../terminal/reporter.ts'

/** Options of `api routes`. */
export interface ListRoutesOptions {
  /** Part of the path. */
  readonly filter?: string | undefined
  /** HTTP method. */
  readonly method?: string | undefined
}

/**
 * Lists what the application serves, from the framework's own table.
 *
 * @param options which routes
 * @param context the world
 * @returns one line a route
 * @throws CliError `PROBLEMS_FOUND` when the application cannot be imported
 */
export async function listRoutes(
  options: ListRoutesOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  const { routes: all } = await inspectApp(project, context.terminal.env)
  const lines = await findRouteLines(project)
  const routes = all
    .filter((route) => matches(route, options))
    .map((route) => {
      const place = lines.get(`${route.method} ${route.path}`)
      return { ...route, file: place === undefined ? '' : `${place.file}:${place.line}` }
    })
  const writes = routes.filter(isPublicWrite).length
  const rows = routes.map(({ access, file, handler, method, path, validates }) => [
    method,
    path,
    access,
    handler,
    validates.join(' '),
    file,
  ])
  const count = routes.length === 1 ? '1 route' : `${routes.length} routes`
  const open = writes === 1 ? '1 public write' : `${writes} public writes`
  return {
    json: { command: 'routes', routes },
    lines: [
      ...printTable(['METHOD', 'PATH', 'ACCESS', 'HANDLER', 'VALIDATES', 'FILE'], rows),
      `${count}, ${open}`,
    ],
    notes: [],
  }
}

function matches(route: ServedRoute, { filter, method }: ListRoutesOptions): boolean {
  if (method !== undefined && route.method !== method.toUpperCase()) return false
  return filter === undefined || route.path.includes(filter)
}
