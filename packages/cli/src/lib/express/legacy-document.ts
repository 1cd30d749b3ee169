import { type ExpressRoute } from './express-routes.ts'
import { type PathParameter, type Template, toTemplates } from './path-pattern.ts'

type Operations = Readonly<Record<string, unknown>>

export interface LegacyDocument {
  readonly paths: Readonly<Record<string, Operations>>
  /** Routes that OpenAPI cannot express, or that are never reached, with the reason. */
  readonly omitted: readonly string[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
// For `app.all`, those that clients use.
const common = ['get', 'put', 'post', 'delete', 'patch']

// The paths of an OpenAPI document with what is known of routes of Express: method, path and parameters. Bodies,
// responses and credentials are not described.
export function createLegacyPaths(routes: readonly ExpressRoute[]): LegacyDocument {
  const paths = new Map<
    string,
    { readonly path: string; readonly operations: Map<string, unknown> }
  >()
  const omitted: string[] = []
  for (const route of routes) {
    const reason = findReason(route)
    if (reason !== undefined) omitted.push(`${route.method} ${route.path}: ${reason}`)
    else {
      for (const template of toTemplates(route.path) ?? []) add(paths, template, route)
    }
  }
  const entries = [...paths.values()].map(
    ({ operations, path }) => [path, Object.fromEntries(operations)] as const,
  )
  return { paths: Object.fromEntries(entries), omitted }
}

function findReason({ method, path, shadowedBy }: ExpressRoute): string | undefined {
  if (shadowedBy?.certain) return `it is never reached, because of ${shadowedBy.route}`
  if (!/^[/{]/.test(path) || path.includes('<') || !toTemplates(path)) {
    return 'OpenAPI cannot express its path'
  }
  if (method === 'ALL' || methods.includes(method.toLowerCase())) return undefined
  return 'OpenAPI does not have its method'
}

// Templates that differ in the names of parameters only are the same path.
function add(
  paths: Map<string, { readonly path: string; readonly operations: Map<string, unknown> }>,
  template: Template,
  route: ExpressRoute,
): void {
  const key = template.path.replace(/\{\w+\}/g, '{}')
  const known = paths.get(key) ?? { path: template.path, operations: new Map<string, unknown>() }
  paths.set(key, known)
  const names = [...known.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parameters = template.parameters.map((one, index) => ({
    ...one,
    name: names[index] ?? one.name,
  }))
  for (const method of route.method === 'ALL' ? common : [route.method.toLowerCase()]) {
    if (!known.operations.has(method)) known.operations.set(method, toOperation(route, parameters))
  }
}

function toOperation(route: ExpressRoute, parameters: readonly PathParameter[]): unknown {
  const { handler, method, path, place } = route
  return {
    tags: [path.split('/').find((part) => /^[\w.~-]+$/.test(part)) ?? 'legacy'],
    summary: `${method} ${path}`,
    'x-legacy': { handler, ...place },
    'x-unvalidated': true,
    ...(parameters.length > 0 && { parameters: parameters.map(toParameter) }),
    responses: { default: { description: 'Not known.' } },
  }
}

function toParameter({ name, pattern }: PathParameter): unknown {
  const schema = { type: 'string', ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }) }
  return { name, in: 'path', required: true, schema }
}

// Adds the legacy paths to the document of the new API, whose operations take precedence.
export function mergePaths(document: unknown, legacy: LegacyDocument['paths']): unknown {
  const { paths = {}, ...rest }: { paths?: Readonly<Record<string, Operations>> } = Object(document)
  const known = new Map(Object.keys(paths).map((path) => [path.replace(/\{\w+\}/g, '{}'), path]))
  const merged = new Map(Object.entries(paths))
  for (const [path, operations] of Object.entries(legacy)) {
    const same = known.get(path.replace(/\{\w+\}/g, '{}'))
    // The parameters of an operation that is added would have other names than the path.
    if (same === undefined || same === path) {
      merged.set(path, { ...operations, ...merged.get(path) })
    }
  }
  return { ...rest, paths: Object.fromEntries(merged) }
}
