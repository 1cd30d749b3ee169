import { type Route } from './route.ts'

// Which routes of a built-in router there are, and where.
export interface RouteChoice {
  readonly path: string
  /** The routes that were asked for by name. */
  readonly named: readonly string[]
  /** The routes that exist. */
  readonly names: readonly string[]
}

// Throws TypeError for a path or name that does not exist.
export function parseRouteChoice(
  value: unknown,
  known: { readonly names: readonly string[]; readonly path: string },
): RouteChoice {
  const { path = known.path, only, except = [] } = toOptions(value)
  if (typeof path !== 'string' || !/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new TypeError(`must have a path such as '${known.path}'`)
  }
  const unknown = [...(only ?? []), ...except].filter((name) => !known.names.includes(name))
  if (unknown.length > 0) {
    throw new TypeError(`names ${unknown.join(', ')}. Known: ${known.names.join(', ')}`)
  }
  const chosen = (only ?? known.names).filter((name) => !except.includes(name))
  return { path, named: only ?? [], names: chosen }
}

// As they may be written; the names are not checked yet.
interface Choice {
  readonly path?: string | undefined
  readonly only?: readonly string[] | undefined
  readonly except?: readonly string[] | undefined
}

function toOptions(value: unknown): Choice {
  if (value === true) return {}
  if (value === false) return { only: [] }
  if (Array.isArray(value)) return { only: value }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError('must be true, false, a list of names, or { path, only, except }')
  }
  const known = ['path', 'only', 'except']
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new TypeError(`has no option ${unknown.join(', ')}`)
  return value
}

export function chooseRoutes(routes: readonly Route[], choice: RouteChoice): Route[] {
  return routes.filter(({ operationId = '' }) => choice.names.includes(operationId))
}
