import { type Request, type RequestHandler, type Response } from 'express'
import { type BodyParserOptions } from '../http/body-parser.ts'
import { type IndexedModel } from '../kernel/schema-marks.ts'
import { type Stage } from '../kernel/stage.ts'
import { type Route } from '../kernel/route.ts'
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
   * The Mongoose model of the list. When the API starts, it logs a warning for each field that the
   * list can filter or sort by and that has no index in the model.
   * @default undefined, no check
   */
  model?: IndexedModel | undefined
  /**
   * Limits of request bodies when the router is used as plain Express middleware; inside `createApi`
   * the limits of the API apply.
   * @default the defaults of the body parser
   */
  body?: BodyParserOptions | undefined
}

/**
 * A group of routes, mounted with `registry.use`. It is also an ordinary Express middleware:
 * `app.use('/api/posts', postsRouter)`.
 */
export interface Router extends RequestHandler {
  readonly routes: readonly Route[]
  readonly tag: string | undefined
  readonly model?: IndexedModel | undefined
}

/**
 * Creates a router from routes.
 * @param routes - routes created by `defineRoute`
 * @param options - tag, model and body limits
 * @returns the router
 * @throws TypeError when a route has no access, no handler, or a path that is not valid
 */
export function createRouter(routes: readonly Route[], options: RouterOptions = {}): Router {
  for (const route of routes) requireComplete(route)
  let dispatcher: Stage | undefined
  const middleware: RequestHandler = (req: Request, res: Response, next) => {
    // Compiled at the first request: a router in a registry is never called directly.
    dispatcher ??= createDispatcher(
      routes.map((route) => compileEndpoint(route, { prefix: '', body: options.body })),
    )
    dispatcher(req, res, next)
  }
  return Object.assign(middleware, { routes, tag: options.tag, model: options.model })
}

function requireComplete(route: Route): void {
  const name = `${route.method?.toUpperCase()} ${route.path}`
  // Plain JavaScript has no compiler that checks these.
  if (!route.access) {
    throw new TypeError(
      `The route ${name} has no access. Add access: 'public', 'user', 'owner', a role or a rule.`,
    )
  }
  if (typeof route.access === 'function' && typeof route.load !== 'function') {
    throw new TypeError(
      `The access of ${name} is a rule, but the route does not load the document it applies to. Add load: ({ id }) => PostModel.findById(id).lean().`,
    )
  }
  if (typeof route.handler !== 'function') {
    throw new TypeError(`The route ${name} has no handler.`)
  }
  if (!/^\/$|^(\/(:[A-Za-z_]\w*|[\w.~-]+))+$/.test(route.path)) {
    throw new TypeError(
      `The path of ${name} is not valid. Use literal segments and parameters: '/:id/publish'.`,
    )
  }
}
