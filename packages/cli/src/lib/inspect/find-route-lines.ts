import type { CallExpression, Node } from '@babel/types'
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
// calls a function of this method with this path.
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
    for (const { method, path: below, ...place } of await findRoutes(source)) {
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

// Finds routes that are written with literal methods and paths; any other has no line rather than a
// wrong one.
async function findRoutes(source: string): Promise<readonly WrittenRoute[]> {
  const found: WrittenRoute[] = []
  const visit = (node: Node): void => {
    const route = node.type === 'CallExpression' ? toRoute(node, source) : undefined
    if (route) found.push(route)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  visit((await parseSource(source)).program)
  return found
}

const methods: Readonly<Record<string, string>> = {
  del: 'delete',
  get: 'get',
  patch: 'patch',
  post: 'post',
  put: 'put',
}

function toRoute(call: CallExpression, source: string): WrittenRoute | undefined {
  const name = toFunctionName(call.callee)
  const [first, second] = call.arguments
  const general = name === 'defineRoute'
  const options = toProperties(general ? first : second)
  const method = general ? toText(options.get('method')) : Object(methods)[name]
  const path = toText(general ? options.get('path') : first)
  if (method === undefined || path === undefined) return undefined
  const schemas = ['params', 'query', 'body', 'response'].flatMap((part) => {
    const { start, end } = options.get(part) ?? {}
    return start == null || end == null ? [] : [[part, source.slice(start, end)]]
  })
  return { method, path, line: call.loc?.start.line ?? 1, schemas: Object.fromEntries(schemas) }
}

// `get` or, with the methods as one argument, `route.get`.
function toFunctionName(callee: Node): string {
  if (callee.type === 'MemberExpression') return toFunctionName(callee.property)
  return callee.type === 'Identifier' ? callee.name : ''
}

function toProperties(node: Node | undefined): ReadonlyMap<string, Node> {
  if (node?.type !== 'ObjectExpression') return new Map()
  return new Map(
    node.properties.flatMap((property) =>
      property.type === 'ObjectProperty' && property.key.type === 'Identifier'
        ? [[property.key.name, property.value] as const]
        : [],
    ),
  )
}

function toText(node: Node | undefined): string | undefined {
  return node?.type === 'StringLiteral' ? node.value : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
