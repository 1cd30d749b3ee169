import { type Project } from '../project/open-project.ts'
import { runInApp } from './run-in-app.ts'

/** One route as the framework serves it. */
export interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** Name of the controller function. */
  readonly handler: string
  /** Parts of the request that have a schema. */
  readonly validates: readonly string[]
}

/** What an application says about itself without being started. */
export interface AppFacts {
  readonly routes: readonly ServedRoute[]
  readonly openapi: unknown
}

const script = `(api) => ({
  routes: api.routes.map(({ method, path, route }) => ({
    method,
    path,
    access: typeof route.access === 'function' ? 'rule' : route.access,
    handler: route.handler.name,
    validates: ['params', 'query', 'body'].filter((part) => route[part] !== undefined),
  })),
  openapi: api.openapi,
})`

/**
 * Imports the application, without listening and without a database, and asks what it serves.
 *
 * @param project the project
 * @param env environment of this process
 * @returns its routes and its OpenAPI document
 * @throws CliError `PROBLEMS_FOUND` when it cannot be imported, with what it printed
 */
export async function inspectApp(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AppFacts> {
  return runInApp<AppFacts>(project, script, { env })
}

/**
 * Tells whether anyone may write through a route.
 *
 * @param route the route
 * @returns true for public routes but reads and the framework's own authentication
 */
export function isPublicWrite(route: ServedRoute): boolean {
  const { access, method, path } = route
  return access === 'public' && method !== 'GET' && !path.startsWith('/api/v1/auth/')
}
