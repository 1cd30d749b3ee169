import { type Request } from 'express'

/**
 * The pattern of the route that serves a request, `/api/posts/:id`; of a router mounted with
 * Express, the part behind the mount.
 * @param req - the request
 * @returns the pattern, or undefined where no route was found
 */
export function routePattern(req: Request): string | undefined {
  const route: unknown = req.route
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined
  return typeof route.path === 'string' ? route.path : undefined
}
