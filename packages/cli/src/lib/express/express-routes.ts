import { relative, sep } from 'node:path'
import { flattenLayers, type Step } from './flatten-routes.ts'
import { type LoadedApp, type Place } from './load-express.ts'
import { covers } from './path-pattern.ts'

export interface ExpressRoute {
  /** `ALL` for any method. */
  readonly method: string
  /** Parts that are not known as text are in angle brackets. */
  readonly path: string
  /** Name of the last function. */
  readonly handler: string
  /** Names of the functions before it. */
  readonly middleware: readonly string[]
  /** Place of the handler; that of the registration if the handler was created in a package or by a wrapper. */
  readonly place?: RoutePlace | undefined
  /** Where the route was registered. */
  readonly registered?: RoutePlace | undefined
  /** The earlier route or middleware that gets its requests. */
  readonly shadowedBy?: Shadow | undefined
}

export interface RoutePlace {
  /** Path in the root, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Shadow {
  readonly route: string
  readonly place?: RoutePlace | undefined
  /** False if the earlier function can pass requests on with `next`. */
  readonly certain: boolean
}

// The routes of an application, in the order in which Express tries them.
export function listExpressRoutes({ apps }: LoadedApp, root: string): readonly ExpressRoute[] {
  return apps.flatMap((layers) => {
    const steps = flattenLayers(layers)
    const wrappers = findWrappers(steps)
    return steps.flatMap((step, index) => {
      const { handlers, method, registered, shown } = step
      if (method === undefined) return []
      const last = handlers.at(-1)
      const own = last?.place && !wrappers.has(toKey(last.place)) ? last.place : registered
      return [
        {
          method,
          path: shown,
          handler: last?.name ?? '',
          middleware: handlers.slice(0, -1).map(({ name }) => name || '<anonymous>'),
          place: toRoutePlace(own, root),
          registered: toRoutePlace(registered, root),
          shadowedBy: findShadow(steps.slice(0, index), step, root),
        },
      ]
    })
  })
}

// Places with several functions: each call of a wrapper such as `catchErrors(handler)` creates one there.
function findWrappers(steps: readonly Step[]): ReadonlySet<string> {
  const functions = new Map<string, Set<number>>()
  for (const { id, place } of steps.flatMap(({ handlers }) => handlers)) {
    if (!place) continue
    const key = toKey(place)
    functions.set(key, (functions.get(key) ?? new Set()).add(id))
  }
  return new Set([...functions].flatMap(([key, all]) => (all.size > 1 ? [key] : [])))
}

function toKey({ column, file, line }: Place): string {
  return `${file}:${line}:${column}`
}

export function toRoutePlace(place: Place | undefined, root: string): RoutePlace | undefined {
  return place && { ...place, file: relative(root, place.file).split(sep).join('/') }
}

function findShadow(earlier: readonly Step[], step: Step, root: string): Shadow | undefined {
  const { method, path } = step
  if (path === undefined) return undefined
  const shadows = earlier.flatMap((one): readonly Shadow[] => {
    const isRoute = one.method !== undefined
    const certain = one.handlers.some(({ ends }) => ends)
    // Middleware that takes `next` is expected to call it.
    if (!isRoute && !certain) return []
    if (isRoute && one.method !== 'ALL' && one.method !== method) return []
    if (one.path === undefined || !covers(one.path, path, !isRoute)) return []
    const place = toRoutePlace(one.registered, root)
    return [{ route: `${one.method ?? 'middleware'} ${one.path}`, place, certain }]
  })
  return shadows.find(({ certain }) => certain) ?? shadows[0]
}
