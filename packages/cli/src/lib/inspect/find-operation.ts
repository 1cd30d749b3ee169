import * as z from 'zod/mini'

/** An operation of an OpenAPI document, with the components that it refers to by their references. */
export interface Operation {
  readonly operation: unknown
  readonly components: Readonly<Record<string, unknown>>
}

// The path is that of a route, such as /api/posts/:id.
export function findOperation(
  document: unknown,
  { method, path }: { readonly method: string; readonly path: string },
): Operation | undefined {
  const { components, paths } = z.parse(described, document)
  const item = paths[path.replaceAll(/:(\w+)/g, '{$1}')]
  const operation = item && new Map(Object.entries(item)).get(method.toLowerCase())
  if (operation === undefined) return undefined
  return { operation, components: findComponents(operation, components) }
}

const described = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
})

// The components that a part of the document refers to, directly or not, by their references.
function findComponents(
  part: unknown,
  components: z.output<typeof described>['components'],
  found: Record<string, unknown> = {},
): Record<string, unknown> {
  const references = JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)
  for (const [text, kind = '', name = ''] of references) {
    const reference = text.slice(1, -1)
    // Every operation has the same errors.
    if (Object.hasOwn(found, reference) || kind === 'responses' || kind === 'headers') continue
    found[reference] = components[kind]?.[name]
    findComponents(found[reference], components, found)
  }
  return found
}
