import { CliError } from '../errors/cli-error.ts'
import { configFile } from '../project/config.ts'
import { type Project } from '../project/open-project.ts'
import { runScript } from './run-in-app.ts'

export interface ServedRoute {
  readonly method: string
  readonly path: string
  readonly access: string
  /** Name of the controller function. */
  readonly handler: string
  /** Parts of the request that have a schema. */
  readonly validates: readonly string[]
  /** Whether anyone may write with it; the built-in routes of authentication are public by nature. */
  readonly publicWrite: boolean
  /** When a deprecated route may stop working, as ISO 8601. */
  readonly sunset?: string | undefined
}

export interface AppFacts {
  readonly routes: readonly ServedRoute[]
  readonly openapi: unknown
  /** What `defineErrors` was called with. */
  readonly errors: readonly DeclaredError[]
}

export interface DeclaredError {
  readonly code: string
  readonly status: number
  readonly title: string
}

const script = `
const errors = []
const { subscribe } = await import('node:diagnostics_channel')
subscribe('create-api:errors', (declared) => errors.push(...declared))
const { api } = await import(app)
imported()
finish({
  errors,
  routes: api.routes.map(({ method, path, route, deprecation }) => ({
    method,
    path,
    access: typeof route.access === 'string' ? route.access : route.access.name,
    handler: route.handler.name,
    validates: ['params', 'query', 'body'].filter((part) => route[part] !== undefined),
    publicWrite:
      ['public', 'optional'].includes(route.access) &&
      method !== 'GET' &&
      !(api.config.auth && path.startsWith(api.config.auth.routes.path + '/')),
    sunset: deprecation?.sunset?.toISOString(),
  })),
  openapi: api.openapi,
})`

export async function inspectApp(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AppFacts> {
  return runScript<AppFacts>(project, script, { env })
}

// The OpenAPI document of the application.
export async function readOpenApi(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  const { openapi } = await inspectApp(project, env)
  if (openapi !== undefined) return openapi
  throw new CliError('PROBLEMS_FOUND', 'the application has no OpenAPI document (openapi: false)')
}

export interface PublicWrites {
  /** Routes that anyone may write with, and that the project does not list. */
  readonly unlisted: readonly string[]
  /** Routes that the project lists, and that do not exist or are not public. */
  readonly outdated: readonly string[]
}

// Compares the routes that anyone may write with and those that the project lists as such.
export function comparePublicWrites(
  { config }: Project,
  routes: readonly ServedRoute[],
): PublicWrites {
  const served = routes
    .filter(({ publicWrite }) => publicWrite)
    .map(({ method, path }) => `${method} ${path}`)
  return {
    unlisted: served.filter((route) => !config.publicWrites.includes(route)),
    outdated: config.publicWrites.filter((route) => !served.includes(route)),
  }
}

export function outdatedWrite(route: string): string {
  return `${configFile} lists ${route}, which is not a route that anyone may write with`
}
