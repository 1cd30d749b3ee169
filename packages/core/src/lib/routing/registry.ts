import { type Router } from './create-router.ts'

/** A router and the path it answers under. */
export interface Mount {
  readonly prefix: string
  readonly router: Router
}

/** The one list of what an API serves: mounts, 405, OPTIONS and the OpenAPI document follow it. */
export interface Registry {
  readonly mounts: readonly Mount[]
  /**
   * Mounts a router.
   * @param prefix - path such as `/api/posts`; it may hold parameters: `/api/posts/:postId/comments`
   * @param router - made by `createRouter`
   * @returns the registry
   * @throws TypeError when the prefix is not a path or the router is not ours
   */
  use(prefix: string, router: Router): Registry
}

/**
 * Makes an empty registry.
 * @returns the registry
 */
export function createRegistry(): Registry {
  const mounts: Mount[] = []
  const registry: Registry = {
    mounts,
    use(prefix, router) {
      if (!/^(\/(:[A-Za-z_]\w*|[\w.~-]+))+$/.test(prefix)) {
        throw new TypeError(`The prefix '${prefix}' is no path. Write it as '/api/posts'.`)
      }
      if (!Array.isArray(router?.routes)) {
        throw new TypeError(
          `What is mounted at ${prefix} was not made by createRouter. Mount other Express routers with api.app.use().`,
        )
      }
      mounts.push({ prefix, router })
      return registry
    },
  }
  return registry
}
