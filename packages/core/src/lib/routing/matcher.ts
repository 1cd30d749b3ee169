/** One path and method, with what belongs to it. */
export interface MatcherEntry<T> {
  /** HTTP method, in upper case. */
  readonly method: string
  /** Literal segments and `:name` parameters: `/api/posts/:id`. */
  readonly path: string
  readonly value: T
}

/** What a request met: an entry with the raw values of its parameters, another method, nothing. */
export type Match<T> =
  | { readonly status: 'found'; readonly value: T; readonly values: readonly string[] }
  | { readonly status: 'other-method'; readonly allow: string }
  | undefined

/** Finds entries by method and path. */
export interface Matcher<T> {
  find(method: string, path: string): Match<T>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter?: Node<T>
  methods?: Map<string, T>
}

const noValues: readonly string[] = []

/**
 * Compiles entries to a tree of path segments. A literal segment wins over a parameter; HEAD
 * follows GET; one trailing slash is ignored.
 * @param entries - what can be found
 * @returns the matcher
 * @throws Error when two entries have the same method and path
 */
export function createMatcher<T>(entries: readonly MatcherEntry<T>[]): Matcher<T> {
  const root: Node<T> = { literals: new Map() }
  const literalPaths = new Map<string, Map<string, T>>()
  for (const { method, path, value } of entries) {
    const node = toNode(root, path)
    const methods = (node.methods ??= new Map())
    if (methods.has(method)) throw new Error(`The route ${method} ${path} is defined twice.`)
    methods.set(method, value)
    if (!path.includes(':')) literalPaths.set(path, methods)
  }

  return {
    find(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : method
      const literal = literalPaths.get(path)?.get(wanted)
      if (literal !== undefined) return { status: 'found', value: literal, values: noValues }
      return search(root, { wanted, segments: toSegments(path) })
    },
  }
}

function toNode<T>(root: Node<T>, path: string): Node<T> {
  let node = root
  for (const segment of toSegments(path)) {
    if (segment.startsWith(':')) {
      node = node.parameter ??= { literals: new Map() }
      continue
    }
    let child = node.literals.get(segment)
    if (!child) node.literals.set(segment, (child = { literals: new Map() }))
    node = child
  }
  return node
}

function toSegments(path: string): string[] {
  if (path === '/') return []
  return path.slice(1, path.endsWith('/') ? -1 : undefined).split('/')
}

interface Search {
  readonly wanted: string
  readonly segments: readonly string[]
}

function search<T>(root: Node<T>, { wanted, segments }: Search): Match<T> {
  const values: string[] = []
  const others = new Set<string>()

  // Depth first, literals before parameters; a branch that lacks the method is only remembered.
  function walk(node: Node<T>, depth: number): T | undefined {
    const segment = segments[depth]
    if (segment === undefined) {
      const value = node.methods?.get(wanted)
      if (value === undefined) for (const method of node.methods?.keys() ?? []) others.add(method)
      return value
    }
    const literal = node.literals.get(segment)
    const found = literal && walk(literal, depth + 1)
    if (found !== undefined || !node.parameter || segment === '') return found
    values.push(segment)
    const below = walk(node.parameter, depth + 1)
    if (below === undefined) values.pop()
    return below
  }

  const value = walk(root, 0)
  if (value !== undefined) return { status: 'found', value, values }
  return others.size > 0 ? { status: 'other-method', allow: toAllow(others) } : undefined
}

function toAllow(methods: Set<string>): string {
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  return [...methods].toSorted().join(', ')
}
