import { closestName } from '@create-api/core/internal/closest-name'
import { type Operation } from './operations.ts'

/** A route with its own name or description. */
export interface NamedTool {
  /** Method and path, such as `GET /api/posts/:id`. */
  route: string
  /**
   * Name of the tool: 1 to 64 of `A-Z a-z 0-9 _ -`.
   * @default derived from method and path: `posts_get`
   */
  name?: string | undefined
  /**
   * What the tool does, for the program that chooses it.
   * @default summary and description of the operation in the OpenAPI document
   */
  description?: string | undefined
}

/**
 * A route that becomes a tool: `GET /api/posts/:id`, or an object with its own name or description. A path alone, such
 * as `/api/posts`, means the routes of a resource: those of this path and of `/api/posts/:id`.
 */
export type ToolChoice = string | NamedTool

/** The routes that become tools. */
export interface ToolChoices {
  /**
   * Routes that read: GET.
   * @default []
   */
  read?: readonly ToolChoice[] | undefined
  /**
   * Routes that write: POST, PUT, PATCH and DELETE.
   * @default []
   */
  write?: readonly ToolChoice[] | undefined
}

export interface Chosen {
  readonly operation: Operation
  readonly name: string | undefined
  readonly description: string | undefined
}

// The operations that become tools. Throws TypeError for a choice that is not a route, or not of this kind.
export function chooseOperations(choices: ToolChoices, all: readonly Operation[]): Chosen[] {
  const { read = [], write = [] } = choices
  const chosen = [
    ...read.flatMap((choice) => choose(choice, 'read', all)),
    ...write.flatMap((choice) => choose(choice, 'write', all)),
  ]
  if (chosen.length === 0) {
    throw new TypeError(
      "mcp() needs at least one tool: mcp(api, { tools: { read: ['/api/posts'] } }).",
    )
  }
  const seen = new Set<Operation>()
  for (const { operation } of chosen) {
    if (seen.has(operation)) throw new TypeError(`${toRoute(operation)} is a tool twice.`)
    seen.add(operation)
  }
  return chosen
}

type Kind = keyof ToolChoices

function choose(choice: ToolChoice, kind: Kind, all: readonly Operation[]): Chosen[] {
  const named: NamedTool = typeof choice === 'string' ? { route: choice } : choice
  const { route, name, description } = named
  const [, method, path] = /^(?:([A-Z]+) )?(\/\S*)$/.exec(route) ?? []
  if (path === undefined) {
    throw new TypeError(
      `tools.${kind} contains '${route}', which is not a route, such as 'GET /api/posts' or '/api/posts'.`,
    )
  }
  if (method !== undefined) return [{ operation: findRoute(route, kind, all), name, description }]
  if (name !== undefined || description !== undefined) {
    throw new TypeError(
      `A name or description in tools.${kind} needs a single route: 'GET ${path}' instead of '${path}'.`,
    )
  }
  const operations = findResource(path, all).filter((one) => toKind(one) === kind)
  if (operations.length > 0) {
    return operations.map((operation) => ({ operation, name: undefined, description: undefined }))
  }
  throw new TypeError(`tools.${kind} contains '${path}', but no route there ${verbs[kind]}.`)
}

const verbs: Readonly<Record<Kind, string>> = { read: 'reads', write: 'writes' }

function findRoute(route: string, kind: Kind, all: readonly Operation[]): Operation {
  const operation = all.find((one) => toRoute(one) === route)
  if (!operation) throw unknownRoute(route, all.map(toRoute))
  const actual = toKind(operation)
  if (actual === kind) return operation
  throw new TypeError(
    actual === 'write'
      ? `${route} writes. List it in tools.write, the second choice that tools which write need.`
      : `${route} reads. List it in tools.read.`,
  )
}

function findResource(path: string, all: readonly Operation[]): Operation[] {
  const prefix = `${path.replace(/\/$/, '')}/:`
  const isBelow = (one: string): boolean =>
    one.startsWith(prefix) && !one.slice(prefix.length).includes('/')
  const paths = all.map(toExpressPath)
  if (!paths.some((one) => one === path || isBelow(one))) throw unknownRoute(path, paths)
  return all.filter((one) => toExpressPath(one) === path || isBelow(toExpressPath(one)))
}

function unknownRoute(route: string, known: readonly string[]): TypeError {
  const close = closestName(route, known)
  const hint = close === undefined ? ' `api routes` lists them.' : ` Did you mean '${close}'?`
  return new TypeError(`tools: the OpenAPI document has no route '${route}'.${hint}`)
}

export function toRoute(operation: Operation): string {
  return `${operation.method} ${toExpressPath(operation)}`
}

function toExpressPath({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function toKind({ method }: Operation): Kind {
  return method === 'GET' ? 'read' : 'write'
}
