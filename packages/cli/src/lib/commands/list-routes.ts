import { CliError } from '../errors/cli-error.ts'
import { checkRegistry } from '../inspect/check-registry.ts'
import { findRouteLines, type RoutePlace } from '../inspect/find-route-lines.ts'
import {
  comparePublicWrites,
  inspectApp,
  outdatedWrite,
  type ServedRoute,
} from '../inspect/inspect-app.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome, toWarning } from '../terminal/reporter.ts'

export interface ListRoutesOptions {
  /** Part of the path. */
  readonly filter?: string | undefined
  readonly path?: string | undefined
  readonly method?: string | undefined
  /** `public`, `optional`, `user`, `owner`, `rule` or a role. */
  readonly access?: string | undefined
  /** Exit with 1 if anyone may write with a route that the project does not list, or the registry has a problem. */
  readonly verify?: boolean | undefined
}

type ListedRoute = ServedRoute & Partial<RoutePlace>

export async function listRoutes(
  options: ListRoutesOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const { routes: served } = await inspectApp(project, context.terminal.env)
  requireKnown(options, served)
  const places = await findRouteLines(project)
  const routes = served
    .filter((route) => matches(route, options))
    .map((route): ListedRoute => ({ ...route, ...places.get(`${route.method} ${route.path}`) }))
  const faults = options.verify ? await findFaults(project, { served, listed: routes }) : []
  return {
    exit: faults.length > 0 ? 1 : 0,
    json: { command: 'routes', routes },
    lines: [
      ...printTable(heading, formatRows(routes), context.terminal.stdout.columns),
      summarise(routes),
    ],
    notes: faults,
  }
}

const heading = ['METHOD', 'PATH', 'ACCESS', 'HANDLER', 'VALIDATES', 'FILE']

function formatRows(routes: readonly ListedRoute[]): readonly (readonly string[])[] {
  return routes.map(({ access, file, handler, line, method, path, schemas, validates }) => [
    method,
    path,
    access,
    handler,
    // The routes file may have the name of the schema.
    validates.map((part) => (schemas?.[part] ? `${part}=${schemas[part]}` : part)).join(' '),
    file === undefined ? '' : `${file}:${line}`,
  ])
}

function summarise(routes: readonly ServedRoute[]): string {
  const writes = routes.filter(({ publicWrite }) => publicWrite).length
  return `${count(routes.length, 'route')}, ${count(writes, 'public write')}`
}

function matches(route: ServedRoute, options: ListRoutesOptions): boolean {
  const { access, filter = '', method, path = '' } = options
  if (method !== undefined && route.method !== method.toUpperCase()) return false
  if (access !== undefined && route.access !== access) return false
  return route.path.includes(filter) && route.path.includes(path)
}

function requireKnown({ access, method }: ListRoutesOptions, routes: readonly ServedRoute[]): void {
  if (method !== undefined) requireWord('method', method.toUpperCase(), methods)
  const known = new Set([
    'public',
    'optional',
    'user',
    'owner',
    'rule',
    ...routes.map((route) => route.access),
  ])
  if (access !== undefined) requireWord('access', access, [...known])
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function requireWord(what: string, word: string, known: readonly string[]): void {
  if (known.includes(word)) return
  throw new CliError('USAGE', `no route has the ${what} "${word}"`, {
    hint: suggestName(word, known),
  })
}

async function findFaults(project: Project, routes: Routes): Promise<readonly Note[]> {
  const { unlisted } = comparePublicWrites(project, routes.listed)
  const { outdated } = comparePublicWrites(project, routes.served)
  const findings = await checkRegistry(project)
  const messages = findings.filter(({ status }) => status !== 'ok').map(({ message }) => message)
  return [
    ...(unlisted.length > 0
      ? [toWarning('PUBLIC_WRITES', `anyone may write: ${unlisted.join(', ')}`)]
      : []),
    ...outdated.map((route) => toWarning('PUBLIC_WRITES_OUTDATED', outdatedWrite(route))),
    ...messages.map((message) => toWarning('REGISTRY', message)),
  ]
}

interface Routes {
  readonly served: readonly ServedRoute[]
  /** The routes that match the filters of the command. */
  readonly listed: readonly ServedRoute[]
}
