import { CliError } from '../errors/cli-error.ts'
import { type ExpressRoute, listExpressRoutes, type RoutePlace } from '../express/express-routes.ts'
import { findAppFile } from '../express/find-app-file.ts'
import { findResources, type ResourceCandidate } from '../express/find-resources.ts'
import { type LoadedApp, loadExpress } from '../express/load-express.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note, type Outcome, toWarning } from '../terminal/reporter.ts'

export interface ListExpressRoutesOptions {
  /** File of the application; true for one of the usual ones. */
  readonly express: string | true
  /** Part of the path. */
  readonly filter?: string | undefined
  readonly path?: string | undefined
  readonly method?: string | undefined
  readonly access?: string | undefined
  readonly verify?: boolean | undefined
}

// Lists the routes of an Express application that has none of this framework's, without starting it.
export async function listRoutesOfExpress(
  options: ListExpressRoutesOptions,
  context: CommandContext,
): Promise<Outcome> {
  if (options.access !== undefined || options.verify) {
    throw new CliError('USAGE', 'the access of routes of Express is not known', {
      hint: '--access and --verify cannot be combined with --express',
    })
  }
  const file = findAppFile(context.cwd, options.express)
  const loaded = await loadExpress(file, context.terminal.env)
  const all = listExpressRoutes(loaded, file.root)
  const routes = all.filter((route) => matches(route, options))
  const resources = findResources(routes, loaded, file.root)
  return {
    json: {
      command: 'routes',
      express: { file: file.path, version: loaded.version, prevented: loaded.prevented },
      routes,
      resources,
    },
    lines: [
      ...printTable(heading, routes.map(formatRow), context.terminal.stdout.columns),
      `${count(routes.length, 'route')} of ${file.path}, Express ${loaded.version ?? ''}`.trim(),
      ...formatResources(resources),
    ],
    notes: [...findFaults(routes), ...describeLoading(loaded)],
  }
}

function matches(route: ExpressRoute, options: ListExpressRoutesOptions): boolean {
  const { filter = '', method, path = '' } = options
  if (method !== undefined && ![method.toUpperCase(), 'ALL'].includes(route.method)) return false
  return route.path.includes(filter) && route.path.includes(path)
}

const heading = ['METHOD', 'PATH', 'HANDLER', 'FILE']

function formatRow({ handler, method, path, place }: ExpressRoute): readonly string[] {
  return [method, path, handler, formatPlace(place)]
}

function formatPlace(place: RoutePlace | undefined): string {
  return place === undefined ? '' : `${place.file}:${place.line}:${place.column}`
}

function formatResources(resources: readonly ResourceCandidate[]): readonly string[] {
  if (resources.length === 0) return []
  const rows = resources.map(({ model, others, path, routes }) => [
    path,
    routes.map((route) => route.split(' ')[0]).join(' '),
    others.length === 0 ? '' : `+${others.length}`,
    model ? `${model.name} ${formatPlace(model.place)}`.trim() : '',
  ])
  return ['', 'These could become resources:', ...printTable(columns, rows)]
}

const columns = ['PATH', 'ROUTES', 'OTHERS', 'MODEL']

function findFaults(routes: readonly ExpressRoute[]): readonly Note[] {
  const shadowed = routes.flatMap(({ method, path, place, shadowedBy }) => {
    if (!shadowedBy) return []
    const at = formatPlace(place)
    const by = `${shadowedBy.route} (${formatPlace(shadowedBy.place)})`
    const verb = shadowedBy.certain ? 'is never reached: its requests go to' : 'may be shadowed by'
    return [toWarning('ROUTE_SHADOWED', `${method} ${path} (${at}) ${verb} ${by}`)]
  })
  const unknown = routes.filter(({ path }) => path.includes('<'))
  const relative = routes.filter(({ path }) => !/^[/*<({]/.test(path))
  return [
    ...shadowed,
    ...relative.map(({ method, path }) =>
      toWarning(
        'ROUTE_UNREACHABLE',
        `${method} ${path} matches no request: its path has no / first`,
      ),
    ),
    ...unknown.map(({ method, path }) =>
      toWarning('PATH_UNKNOWN', `which paths ${method} ${path} matches is not known as text`),
    ),
  ]
}

function describeLoading({ apps, called, prevented, problems }: LoadedApp): readonly Note[] {
  const kept = prevented.length === 0 ? [] : [`prevented while loading: ${prevented.join(', ')}`]
  const made = called === undefined ? [] : [`${called}() was called to create the application`]
  const several = apps.length > 1 ? [`there are ${apps.length} applications`] : []
  return [
    ...problems.map((problem) => toWarning('LOADING', `while loading: ${problem}`)),
    ...[...several, ...made, ...kept].map((message) => ({ kind: 'note', message }) as const),
  ]
}
