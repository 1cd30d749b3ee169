import {
  type ExpressFunction,
  type Layer,
  type LayerPath,
  type Place,
  type RouteHandler,
} from './load-express.ts'

/** What a request reaches, in the order in which Express tries it. */
export interface Step {
  /** `ALL` for any method; none for middleware. */
  readonly method?: string
  /** With the paths of the routers above it; none if one of them is not known as text. */
  readonly path: string | undefined
  /** The path as far as it is known, for output. */
  readonly shown: string
  /** In the order in which they run. */
  readonly handlers: readonly ExpressFunction[]
  /** Where it was registered. */
  readonly registered: Place | undefined
}

const unknown = '<unknown>'

// The routes and middleware of an application and its routers as one list.
export function flattenLayers(layers: readonly Layer[], prefix = ''): readonly Step[] {
  return layers.flatMap((layer) => {
    const paths: readonly (LayerPath | undefined)[] = layer.paths ?? [undefined]
    return paths.flatMap((path) => flattenLayer(layer, joinPaths(prefix, path)))
  })
}

function flattenLayer(layer: Layer, shown: string): readonly Step[] {
  const path = shown.includes('<') ? undefined : shown
  if (layer.kind === 'router') return flattenLayers(layer.layers, shown)
  if (layer.kind === 'middleware') {
    return [{ path, shown, handlers: [layer.handler], registered: layer.place }]
  }
  return listMethods(layer.handlers).map((method) => {
    const handlers = layer.handlers.filter((one) => runsFor(one, method))
    return { method, path, shown, handlers, registered: findRegistration(handlers, layer.place) }
  })
}

// `app.all` of Express registers the handler for each method.
const typical = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'LOCK']

// `route.all(log).get(list)` serves GET only, as far as one can know.
function listMethods(handlers: readonly RouteHandler[]): readonly string[] {
  const methods = [...new Set(handlers.flatMap(({ method }) => method ?? []))]
  if (methods.length === 0 || typical.every((one) => methods.includes(one))) return ['ALL']
  return methods
}

function runsFor(handler: RouteHandler, method: string): boolean {
  const own = method === 'ALL' ? 'GET' : method
  return handler.method === undefined || handler.method === own
}

function findRegistration(
  handlers: readonly RouteHandler[],
  place: Place | undefined,
): Place | undefined {
  return handlers.at(-1)?.registered ?? place
}

function joinPaths(prefix: string, path: LayerPath | undefined): string {
  const text = path === undefined ? unknown : typeof path === 'string' ? path : `<${path.pattern}>`
  if (text === '/' || text === '') return prefix === '' ? '/' : prefix
  return (prefix === '/' ? '' : prefix.replace(/\/$/, '')) + text
}
