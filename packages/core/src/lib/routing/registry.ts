import { toTag } from '../route/path-words.ts'
import { type Router } from './create-router.ts'
import { type CompiledEndpoint, compileEndpoint, type EndpointOptions, toPath } from './endpoint.ts'

/** A router and the path it is mounted at. */
export interface Mount {
  /** The path before those of the routes: `/api/posts`. */
  readonly prefix: string
  /** The router that is mounted there. */
  readonly router: Router
}

/** The routers of an API with their paths; routing, 405, OPTIONS and the OpenAPI document follow it. */
export interface Registry {
  /** The routers, in the order in which they were mounted. */
  readonly mounts: readonly Mount[]
  /**
   * Mounts a router.
   * @param prefix - path such as `/api/posts`, also with parameters: `/api/posts/:postId/comments`
   * @param router - a router created by `createRouter`
   * @returns the registry
   * @throws TypeError when the prefix is not a path or the router was not created by `createRouter`
   * @throws Error when `createApi` has read the registry already
   */
  use(prefix: string, router: Router): Registry
}

/**
 * Creates an empty registry.
 * @returns the registry
 * @example
 * ```ts
 * export const routes = createRegistry().use('/api/posts', postsRouter)
 * ```
 */
export function createRegistry(): Registry {
  const mounts: Mount[] = []
  const registry: Registry = {
    mounts,
    use(prefix, router) {
      if (!/^(\/(:[A-Za-z_]\w*|[\w.~-]+))+$/.test(prefix)) {
        throw new TypeError(`The prefix '${prefix}' is not a path. Write it as '/api/posts'.`)
      }
      if (!Array.isArray(router?.routes)) {
        throw new TypeError(
          `The router mounted at ${prefix} was not created by createRouter. Mount other Express routers with api.app.use().`,
        )
      }
      if (alreadyRead.has(registry)) {
        throw new Error(
          `The router at ${prefix} is mounted too late: createApi has read this registry already. Move routes.use('${prefix}', …) before createApi, or mount the router in the Express app: api.app.use('${prefix}', …).`,
        )
      }
      mounts.push({ prefix, router })
      return registry
    },
  }
  return registry
}

const alreadyRead = new WeakSet<Registry>()

// Routers mounted later would never be served.
export function readMounts(registry: Registry): readonly Mount[] {
  alreadyRead.add(registry)
  return registry.mounts
}

export function compileMounts(
  mounts: readonly Mount[],
  options: Omit<EndpointOptions, 'prefix' | 'paths' | 'tag' | 'model'>,
): CompiledEndpoint[] {
  const paths = mounts.flatMap(({ prefix, router }) =>
    router.routes.map((route) => toPath(route, { prefix })),
  )
  return mounts.flatMap(({ prefix, router }) => {
    const tag = router.tag ?? toTag(prefix)
    const own = { ...options, prefix, paths, tag, model: router.model }
    return router.routes.map((route) => compileEndpoint(route, own))
  })
}
