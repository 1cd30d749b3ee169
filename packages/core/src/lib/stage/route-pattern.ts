import { type Request } from 'express'

// The pattern of the route that serves a request, such as `/api/posts/:id`; in a router mounted with Express,
// without the path of the mount.
export function routePattern(req: Request): string | undefined {
  const route: unknown = req.route
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined
  return typeof route.path === 'string' ? route.path : undefined
}
