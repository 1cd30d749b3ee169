import { type Template } from '../response/envelope.ts'
import { type Endpoint } from '../route/route.ts'
import { toDataPointer } from './envelope.ts'
import { isCreating } from './names.ts'
import { type JsonObject } from './schema-components.ts'

export interface NamedEndpoint extends Endpoint {
  readonly operationId: string
}

// Links let tools follow a document from its creation to its deletion.
export function toLinks(
  endpoint: NamedEndpoint,
  all: readonly NamedEndpoint[],
  body: Template,
): JsonObject | undefined {
  const followers =
    endpoint.method === 'POST' && isCreating(endpoint.route)
      ? all.filter((other) => isItemOf(other.path, endpoint.path) && other.method !== 'POST')
      : endpoint.method === 'DELETE'
        ? all.filter((other) => other.path === endpoint.path && other.method === 'GET')
        : []
  if (followers.length === 0) return undefined
  return Object.fromEntries(
    followers.map(({ operationId, path }) => [
      operationId,
      { operationId, parameters: toValues(endpoint, path, body) },
    ]),
  )
}

function isItemOf(path: string, collection: string): boolean {
  return path.startsWith(`${collection}/:`) && !path.slice(collection.length + 2).includes('/')
}

function toValues(endpoint: Endpoint, path: string, body: Template): JsonObject {
  const own = new Set([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.flatMap((name) => {
      if (own.has(name)) return [[name, `$request.path.${name}`]]
      const pointer = toDataPointer(body, name)
      return pointer === undefined ? [] : [[name, `$response.body#${pointer}`]]
    }),
  )
}
