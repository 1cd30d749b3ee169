import type { CallExpression, Node, Statement } from '@babel/types'
import { posix, join } from 'node:path'
import { nameOf } from '../code/bound-names.ts'
import { childNodes } from '../code/child-nodes.ts'
import { textOf } from '../code/text-edits.ts'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { parseSource, readStatements, type RegistryImport } from '../registry/read-registry.ts'

export interface RoutePlace {
  readonly file: string
  readonly line: number
  /** Expressions of `params`, `query`, `body` and `response`. */
  readonly schemas: Readonly<Record<string, string>>
}

// Maps `GET /api/posts/:id` to where the route is written: the registry imports a router, and the value of that
// export calls a function of this method with this path.
export async function findRouteLines(project: Project): Promise<ReadonlyMap<string, RoutePlace>> {
  const places = new Map<string, RoutePlace>()
  const registry = readText(join(project.root, project.config.registry))
  if (registry === undefined) return places
  const { imports, mounts } = readStatements(await parseSource(registry))
  for (const { path, router } of mounts) {
    const imported = findImport(imports, router)
    if (path === undefined || imported === undefined) continue
    const file = toSourceFile(project, imported.specifier)
    const source = readText(join(project.root, file))
    if (source === undefined) continue
    for (const { method, path: below, ...place } of await findRoutes(source, imported.name)) {
      const whole = below === '/' ? path : path + below
      places.set(`${method.toUpperCase()} ${whole}`, { file, ...place })
    }
  }
  return places
}

interface ImportedRouter {
  readonly specifier: string
  /** Its name in the file that exports it. */
  readonly name: string
}

function findImport(
  imports: readonly RegistryImport[],
  router: string,
): ImportedRouter | undefined {
  const all = imports.flatMap(({ names, specifier }) =>
    [...names].map(([name, { local }]) => ({ name, local, specifier })),
  )
  return all.find(({ local }) => local === router)
}

// The source file that the registry imports.
export function toSourceFile({ config }: Project, specifier: string): string {
  const file = posix.join(posix.dirname(config.registry), specifier)
  return config.language === 'javascript' ? file : `${file.replace(/\.[cm]?[jt]s$/, '')}.ts`
}

interface WrittenRoute extends Omit<RoutePlace, 'file'> {
  readonly method: string
  readonly path: string
}

// Finds the routes of an exported router that are written with a literal method and path. A route that is computed
// has no line, and neither has one that is written twice: no line is better than a wrong one.
async function findRoutes(source: string, router: string): Promise<readonly WrittenRoute[]> {
  const { body } = (await parseSource(source)).program
  const declarations = new Map(body.flatMap(declaredValues))
  const imported = new Map(body.flatMap(importedNames))
  const receivers = new Set<string>()
  const found = new Map<string, WrittenRoute | undefined>()
  const visit = (node: Node): void => {
    if (node.type === 'CallExpression') {
      const name = calledFunction(node.callee, { imported, receivers })
      if (name === 'createRouter') receivers.add(firstParameter(node.arguments[0]))
      const route = readRoute(node, name, source)
      const key = `${route?.method} ${route?.path}`
      if (route) found.set(key, found.has(key) ? undefined : route)
    }
    if (node.type === 'Identifier') visitDeclaration(node.name)
    for (const [, child] of childNodes(node)) visit(child)
  }
  const visitDeclaration = (name: string): void => {
    const value = declarations.get(name)
    declarations.delete(name)
    if (value) visit(value)
  }
  visitDeclaration(exportedValue(body, router))
  return [...found.values()].flatMap((route) => route ?? [])
}

// The variables and functions that a statement declares at the top level.
function declaredValues(statement: Statement): readonly (readonly [name: string, value: Node])[] {
  const declaration =
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (declaration?.type === 'FunctionDeclaration' && declaration.id) {
    return [[declaration.id.name, declaration.body]]
  }
  if (declaration?.type !== 'VariableDeclaration') return []
  return declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init ? [[id.name, init] as const] : [],
  )
}

// Local names to those of the module that exports them.
function importedNames(statement: Statement): readonly (readonly [local: string, name: string])[] {
  if (statement.type !== 'ImportDeclaration') return []
  return statement.specifiers.flatMap((specifier) =>
    specifier.type === 'ImportSpecifier'
      ? [[specifier.local.name, nameOf(specifier.imported)] as const]
      : [],
  )
}

// `export { posts as postsRouter }` exports the value of `posts`.
function exportedValue(body: readonly Statement[], name: string): string {
  for (const statement of body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const specifier of statement.specifiers) {
      const isNamed = specifier.type === 'ExportSpecifier' && nameOf(specifier.exported) === name
      if (isNamed) return specifier.local.name
    }
  }
  return name
}

// `get`, under whatever name it is imported, or `route.get`, where the routes are a function of `route`.
function calledFunction(
  callee: Node,
  names: {
    readonly imported: ReadonlyMap<string, string>
    readonly receivers: ReadonlySet<string>
  },
): string {
  if (callee.type !== 'MemberExpression') return names.imported.get(nameOf(callee)) ?? ''
  const receiver = nameOf(callee.object)
  if (callee.computed || receiver === '' || !names.receivers.has(receiver)) return ''
  return nameOf(callee.property)
}

function firstParameter(node: Node | undefined): string {
  const isFunction = node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'
  const parameter = isFunction ? node.params[0] : undefined
  return parameter ? nameOf(parameter) : ''
}

const methods: ReadonlyMap<string, string> = new Map([
  ['del', 'delete'],
  ['get', 'get'],
  ['patch', 'patch'],
  ['post', 'post'],
  ['put', 'put'],
])

function readRoute(call: CallExpression, name: string, source: string): WrittenRoute | undefined {
  const [first, second] = call.arguments
  const general = name === 'defineRoute'
  const options = propertiesOf(general ? first : second)
  const method = general ? valueOf(options.get('method')) : methods.get(name)
  const path = valueOf(general ? options.get('path') : first)
  if (method === undefined || path === undefined || !path.startsWith('/')) return undefined
  const schemas = ['params', 'query', 'body', 'response'].flatMap((part) => {
    const value = options.get(part)
    return value ? [[part, textOf(source, value)]] : []
  })
  return { method, path, line: call.loc?.start.line ?? 1, schemas: Object.fromEntries(schemas) }
}

function propertiesOf(node: Node | undefined): ReadonlyMap<string, Node> {
  if (node?.type !== 'ObjectExpression') return new Map()
  return new Map(
    node.properties.flatMap((property) =>
      property.type === 'ObjectProperty' && property.key.type === 'Identifier'
        ? [[property.key.name, property.value] as const]
        : [],
    ),
  )
}

function valueOf(node: Node | undefined): string | undefined {
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked ?? undefined
  }
  return node?.type === 'StringLiteral' ? node.value : undefined
}
