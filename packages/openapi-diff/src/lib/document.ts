import { isJson, type Json, listAt, objectAt } from './json.ts'

/** Thrown when a document cannot be compared. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  /** Which of the two documents is at fault. */
  readonly document: 'before' | 'after'

  constructor(document: 'before' | 'after', message: string) {
    super(message)
    this.document = document
  }
}

// An OpenAPI document whose references can be followed.
export interface Document {
  /** By method and path without the names of path parameters: /posts/{id} is /posts/{postId}. */
  readonly operations: ReadonlyMap<string, Operation>
  /** Returns what an object refers to, or the object itself. */
  readonly resolve: (value: unknown) => Json
}

export interface Operation {
  /** Method and path. */
  readonly name: string
  readonly json: Json
  /** By place, such as `query.page` or `path.1`. */
  readonly parameters: ReadonlyMap<string, Json>
  readonly security: unknown
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export function readDocument(value: unknown, which: 'before' | 'after'): Document {
  if (!isJson(value) || !/^3\.\d/.test(String(value['openapi'])) || !isJson(value['paths'])) {
    const name = which === 'before' ? 'the earlier document' : 'the later document'
    throw new DocumentError(which, `${name} is not an OpenAPI 3 document`)
  }
  const root = value
  const resolve = (part: unknown, followed: readonly string[] = []): Json => {
    if (!isJson(part)) return {}
    const reference = part['$ref']
    if (typeof reference !== 'string') return part
    const target = followed.includes(reference) ? undefined : follow(root, reference)
    if (target === undefined) {
      throw new DocumentError(which, `the reference ${reference} leads nowhere in its document`)
    }
    return resolve(target, [...followed, reference])
  }
  return { operations: listOperations(root, resolve), resolve: (part) => resolve(part) }
}

// #/components/schemas/Post, with ~1 for a slash in a name (RFC 6901).
function follow(root: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  const keys = reference.slice(2).split('/')
  return keys
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, key) => childOf(part, key), root)
}

function childOf(part: unknown, key: string): unknown {
  if (Array.isArray(part)) return part[Number(key)]
  return isJson(part) && Object.hasOwn(part, key) ? part[key] : undefined
}

function listOperations(root: Json, resolve: Document['resolve']): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, value] of Object.entries(objectAt(root, 'paths'))) {
    const item = resolve(value)
    for (const [method, json] of Object.entries(item)) {
      if (!methods.includes(method) || !isJson(json)) continue
      const name = `${method.toUpperCase()} ${path}`
      const parameters = [...listAt(item, 'parameters'), ...listAt(json, 'parameters')].map(
        (parameter) => resolve(parameter),
      )
      operations.set(name.replaceAll(/\{[^}]*\}/g, '{}'), {
        name,
        json,
        parameters: new Map(parameters.map((parameter) => [placeOf(parameter, path), parameter])),
        security: json['security'] ?? root['security'],
      })
    }
  }
  return operations
}

// Path parameters are identified by their position in the path, others by their name.
function placeOf(parameter: Json, path: string): string {
  const kind = String(parameter['in'])
  const name = String(parameter['name'])
  if (kind === 'header') return `header.${name.toLowerCase()}`
  if (kind !== 'path') return `${kind}.${name}`
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1])
  return `path.${names.indexOf(name) + 1}`
}
