import {
  attempt,
  type Document,
  type Json,
  type Omission,
  toJson,
  toList,
  Unsupported,
} from './document.ts'
import { toName } from './type-names.ts'

export interface ClientOperation {
  readonly resource: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly id: string
  readonly definition: Json
  /** Those of the path, in its order, and of the query. */
  readonly parameters: readonly Json[]
  readonly requiresAuthentication: boolean
}

export interface ReadResult {
  readonly operations: readonly ClientOperation[]
  readonly omissions: readonly Omission[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const otherMethods = ['head', 'options', 'trace']

export function readOperations(document: Document): ReadResult {
  const omissions: Omission[] = []
  const candidates: Omit<ClientOperation, 'name'>[] = []
  const readOperation = (place: Place): void => {
    const { cookies, operation } = toOperation(document, place)
    if (isOfSession(operation)) return
    candidates.push(operation)
    for (const name of cookies) {
      omissions.push({ what: `cookie parameter ${name} of ${operation.id}`, why: ofBrowser })
    }
  }
  for (const [path, value] of Object.entries(toJson(document.root['paths']))) {
    attempt(path, omissions, () => {
      const item = document.resolve(value)
      for (const method of otherMethods.filter((one) => Object.hasOwn(item, one))) {
        omissions.push({
          what: `${method.toUpperCase()} ${path}`,
          why: 'the method is not supported',
        })
      }
      for (const method of methods.filter((one) => Object.hasOwn(item, one))) {
        const what = `${method.toUpperCase()} ${path}`
        attempt(what, omissions, () => readOperation({ item, method, path }))
      }
    })
  }
  return { operations: toNamed(candidates), omissions }
}

const ofBrowser = 'cookies are set by the browser'

interface Place {
  readonly item: Json
  readonly method: string
  readonly path: string
}

interface ReadOperation {
  readonly operation: Omit<ClientOperation, 'name'>
  /** Names of the cookies that it may have. */
  readonly cookies: readonly string[]
}

function toOperation(document: Document, { item, method, path }: Place): ReadOperation {
  const definition = toJson(item[method])
  const fault = findPathFault(path)
  if (fault !== undefined) throw new Unsupported(fault)
  requireCommonServer(definition['servers'] ?? item['servers'])
  const own = [...toList(item['parameters']), ...toList(definition['parameters'])]
  const parameters = own.map((parameter) => document.resolve(parameter))
  const byPlace = new Map(
    parameters.map((one) => [`${String(one['in'])} ${String(one['name'])}`, one]),
  )
  const inPath = [...path.matchAll(/\{(.+?)\}/g)].map(
    ([, name = '']) =>
      byPlace.get(`path ${name}`) ?? { in: 'path', name, schema: { type: 'string' } },
  )
  const inQuery = [...byPlace.values()].filter((one) => one['in'] === 'query')
  const inHeader = [...byPlace.values()].filter((one) => one['in'] === 'header')
  requirePath(inPath)
  const inCookie = [...byPlace.values()].filter((one) => one['in'] === 'cookie')
  requireNoCookie(inCookie)
  const [tag] = toList(definition['tags'])
  const named = toName(typeof tag === 'string' ? tag : (toWords(path)[0] ?? 'api'))
  // `client.session` is the session of the client.
  const resource = named === 'session' ? 'sessionResource' : named
  const { operationId } = definition
  const id = typeof operationId === 'string' ? operationId : `${method} ${path}`
  return {
    operation: {
      resource,
      method: method.toUpperCase(),
      path,
      id,
      definition,
      parameters: [...inPath, ...inQuery, ...inHeader],
      requiresAuthentication: requiresScheme(definition['security'] ?? document.root['security']),
    },
    cookies: inCookie.map(({ name }) => String(name)),
  }
}

// An empty requirement makes authentication optional (OpenAPI 3.1, section 4.8.30).
function requiresScheme(security: unknown): boolean {
  const schemes = toList(security).map((one) => Object.keys(toJson(one)))
  return schemes.length > 0 && schemes.every((names) => names.length > 0)
}

// A client has one URL.
function requireCommonServer(servers: unknown): void {
  const [server] = toList(servers)
  if (server !== undefined)
    throw new Unsupported(`it has its own server, ${String(toJson(server)['url'])}`)
}

// Why a path would lead to another host, or out of the API: URLs drop tabs, line ends and the segments `.` and `..`.
export function findPathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'the path does not begin with a slash'
  return /[\t\n\r]|[/\\](\.|%(25)?2e){1,2}([/\\?#]|$)/i.test(path)
    ? 'the path leads out of the API'
    : undefined
}

function requirePath(parameters: readonly Json[]): void {
  const names = parameters.map(({ name }) => String(name))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Unsupported(`the path parameter ${twice} is repeated`)
  const other = parameters.find(({ style = 'simple' }) => style !== 'simple')
  if (!other) return
  const { name, style } = other
  throw new Unsupported(`the path parameter ${String(name)} has the style ${String(style)}`)
}

function requireNoCookie(parameters: readonly Json[]): void {
  const needed = parameters.find(({ required }) => required === true)
  if (needed) throw new Unsupported(`the cookie parameter ${String(needed['name'])} is required`)
}

// The session sends these itself.
function isOfSession({ id, path }: { readonly id: string; readonly path: string }): boolean {
  return (
    (id === 'refreshToken' && path.endsWith('/refresh-token')) ||
    (id === 'logout' && path.endsWith('/logout'))
  )
}

function toWords(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && !/^(api|v\d+|\{.*\})$/.test(part))
}

function toNamed(operations: readonly Omit<ClientOperation, 'name'>[]): ClientOperation[] {
  const taken = new Set<string>()
  return operations.map((operation) => {
    const { resource } = operation
    const candidates = [
      toShapeName(operation) ?? toChangesName(operation),
      toOwnName(operation),
      toName(operation.id),
    ]
    const isFree = (name: string): boolean => !taken.has(`${resource}.${name}`)
    const fallback = toName(operation.id)
    let name = candidates.filter((one) => one !== undefined).find(isFree) ?? fallback
    for (let count = 2; !isFree(name); count++) name = `${fallback}${count}`
    taken.add(`${resource}.${name}`)
    return { ...operation, name }
  })
}

// `list`, `get`, `create`, `replace`, `patch` or `delete` where the operation has that form.
function toShapeName({
  definition,
  method,
  path,
  resource,
}: Omit<ClientOperation, 'name'>): string | undefined {
  const last = toWords(path).at(-1)
  if (last === undefined || toName(last) !== resource) return undefined
  const isItem = path.endsWith('}')
  if (method === 'GET') return isItem ? 'get' : 'list'
  if (method === 'POST')
    return !isItem && '201' in toJson(definition['responses']) ? 'create' : undefined
  const names: Readonly<Record<string, string>> = {
    PUT: 'replace',
    PATCH: 'patch',
    DELETE: 'delete',
  }
  return isItem ? names[method] : undefined
}

// `changes` for the events of a list.
function toChangesName({
  definition,
  path,
  resource,
}: Omit<ClientOperation, 'name'>): string | undefined {
  const [list = '', last] = toWords(path).slice(-2)
  const { content } = toJson(toJson(definition['responses'])['200'])
  const isChanges = last === 'changes' && 'text/event-stream' in toJson(content)
  return isChanges && toName(list) === resource ? 'changes' : undefined
}

// The operation's id without the name of the resource: `issues/list-for-repo` becomes `listForRepo`.
function toOwnName({ id, resource }: Omit<ClientOperation, 'name'>): string {
  const [first = '', ...rest] = id.split('/')
  return rest.length > 0 && toName(first) === resource ? toName(rest.join('-')) : toName(id)
}
