import { type Endpoint } from '../route/route.ts'

/** Paths of documents by the pattern of their route, or only the paths. */
export type DocumentPaths = Readonly<Record<string, string>> | readonly string[]

/** The path of a document, and the pattern of a route that matches it. */
export type PatternedPath = readonly [pattern: string, path: string]

export function toPatternedPaths(
  routes: readonly Endpoint[],
  paths: DocumentPaths = {},
): readonly PatternedPath[] {
  if (!isList(paths)) return Object.entries(paths)
  return paths.flatMap((path) =>
    findPatterns(routes, path).map((pattern): PatternedPath => [pattern, path]),
  )
}

function isList(paths: DocumentPaths): paths is readonly string[] {
  return Array.isArray(paths)
}

// The patterns that match a path; where no route is about one document, a pattern below that of the list.
function findPatterns(routes: readonly Endpoint[], path: string): readonly string[] {
  const own = findMatching(routes, path)
  if (own.length > 0) return own
  const list = findMatching(routes, path.slice(0, path.lastIndexOf('/')))
  if (list.length > 0) return list.map((pattern) => `${pattern}/:id`)
  throw new TypeError(`findAccessFaults(): no route has the path ${path}`)
}

function findMatching(routes: readonly Endpoint[], path: string): readonly string[] {
  return [...new Set(routes.map((one) => one.path).filter((pattern) => matches(pattern, path)))]
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  const isSame = (segment: string, index: number): boolean =>
    segment.startsWith(':') || segment === given[index]
  return wanted.length === given.length && wanted.every(isSame)
}
