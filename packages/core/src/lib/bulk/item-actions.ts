import { z } from 'zod'
import { type Access, any } from '../access/access.ts'
import { type ErrorCode, type ErrorDefinition } from '../errors/catalogue.ts'
import { type Route } from '../route/route.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'

// A route of the router that items of a bulk request can use.
export interface ItemAction {
  readonly name: string
  readonly route: Route
  /** The path parameter that names a document; undefined for a new one. */
  readonly key: string | undefined
  /** The members of an item, without the schema of its body. */
  readonly shape: z.ZodObject
}

const names = { post: 'create', put: 'replace', patch: 'patch', delete: 'delete' } as const

// The routes `POST /` and `PUT`, `PATCH` and `DELETE /:id` of a router, under any name of the parameter.
export function findActions(routes: readonly Route[]): ItemAction[] {
  return routes.flatMap((route) => {
    const { body, method } = route
    const [, key] = /^\/:(\w+)$/.exec(route.path) ?? []
    const isItem = method === 'post' ? route.path === '/' : method !== 'get' && key !== undefined
    if (!isItem || (body && toMultipartPlan(body))) return []
    const name = names[method === 'get' ? 'post' : method]
    return [{ name, route, key, shape: toShape(route, name, key) }]
  })
}

function toShape(route: Route, name: string, key: string | undefined): z.ZodObject {
  return z.strictObject({
    action: z.literal(name),
    ...(key !== undefined && { [key]: z.union([z.string(), z.number()]) }),
    ...(key !== undefined && route.etag && { ifMatch: z.string().optional() }),
    ...(route.body && { body: z.unknown().optional() }),
  })
}

// Whom at least one of the actions admits.
export function joinAccess(actions: readonly ItemAction[]): Access {
  const [first, ...others] = new Set(actions.map(({ route }) => route.access))
  if (first === undefined || others.length === 0) return first ?? 'public'
  return [first, ...others].includes('public') ? 'public' : any(first, ...others)
}

// The errors of an item that become those of an atomic request.
export function joinErrors(
  actions: readonly ItemAction[],
): readonly (ErrorCode | ErrorDefinition)[] {
  const errors = actions.flatMap(({ key, route }): (ErrorCode | ErrorDefinition)[] => [
    ...(route.errors ?? []),
    ...(key === undefined ? [] : (['not_found'] as const)),
    ...(key !== undefined && route.etag ? (['precondition_failed'] as const) : []),
    ...(key !== undefined && route.requireIfMatch ? (['precondition_required'] as const) : []),
    ...(route.access === 'public' ? [] : (['forbidden'] as const)),
  ])
  return [...new Set(errors)]
}
