import { type Request, type RequestHandler, type Response } from 'express'
import { type BodyParserOptions } from '../pipeline/body-parser.ts'
import {
  describeMissingIndex,
  findMissingIndexes,
  type IndexedModel,
} from '../resource/missing-indexes.ts'
import { toListing } from '../resource/list-query.ts'
import { type Stage } from '../pipeline/stage.ts'
import { type Route } from './route.ts'
import { createDispatcher } from './dispatch.ts'
import { compileEndpoint } from './endpoint.ts'

/** Options for {@link createRouter}. */
export interface RouterOptions {
  /**
   * Name of the group in the OpenAPI document.
   * @default the last literal segment of the prefix
   */
  tag?: string | undefined
  /**
   * The Mongoose model behind the list. When the API starts, it warns of fields that the list can
   * filter or sort by and that have no index in the model.
   * @default undefined, which checks nothing
   */
  model?: IndexedModel | undefined
  /**
   * Limits of the bodies when the router is used as plain Express middleware; inside
   * `createApi` those of the API hold.
   * @default the defaults of the body parser
   */
  body?: BodyParserOptions | undefined
}

/**
 * A group of routes. A registry mounts it in an API; it is also an ordinary Express middleware:
 * `app.use('/api/posts', postsRouter)`.
 */
export interface Router extends RequestHandler {
  readonly routes: readonly Route[]
  readonly tag: string | undefined
  readonly model?: IndexedModel | undefined
}

/**
 * Groups routes.
 * @param routes - made by `defineRoute`
 * @param options - tag and body limits
 * @returns the router
 * @throws TypeError when a route has no access, no handler, or a path that is not understood
 */
export function createRouter(routes: readonly Route[], options: RouterOptions = {}): Router {
  for (const route of routes) requireComplete(route)
  let dispatcher: Stage | undefined
  const middleware: RequestHandler = (req: Request, res: Response, next) => {
    // Compiled at the first request: a router in a registry is never called itself.
    dispatcher ??= createDispatcher(
      routes.map((route) => compileEndpoint(route, { prefix: '', body: options.body })),
    )
    dispatcher(req, res, next)
  }
  return Object.assign(middleware, { routes, tag: options.tag, model: options.model })
}

/**
 * Looks for fields of the router's lists without an index.
 * @param router - the router
 * @returns one line for each field
 */
export function findSlowFields(router: Router): string[] {
  const { routes, model } = router
  if (!model) return []
  const lines = routes.flatMap(({ query }) => {
    const listing = toListing(query)
    const missing = listing ? findMissingIndexes(model, listing) : []
    return missing.map((one) => describeMissingIndex(model, one))
  })
  return [...new Set(lines)]
}

function requireComplete(route: Route): void {
  const name = `${route.method?.toUpperCase()} ${route.path}`
  // Plain JavaScript has no compiler to ask for these.
  if (!route.access) {
    throw new TypeError(
      `The route ${name} states no access. Add access: 'public', 'user', 'owner', a role or a rule.`,
    )
  }
  if (typeof route.access === 'function' && typeof route.load !== 'function') {
    throw new TypeError(
      `The access of ${name} is a rule, and nothing says which document it decides about. Add load: ({ id }) => PostModel.findById(id).lean().`,
    )
  }
  if (typeof route.handler !== 'function') {
    throw new TypeError(`The route ${name} has no handler.`)
  }
  if (!/^\/$|^(\/(:[A-Za-z_]\w*|[\w.~-]+))+$/.test(route.path)) {
    throw new TypeError(
      `The path of ${name} is not understood. Use literal segments and parameters: '/:id/publish'.`,
    )
  }
}
