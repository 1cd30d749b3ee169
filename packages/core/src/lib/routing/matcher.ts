interface Located {
  /** HTTP method, in upper case. */
  readonly method: string
  /** Literal segments and `:name` parameters: `/api/posts/:id`. */
  readonly path: string
}

export type Match<T> =
  | { readonly status: 'found'; readonly value: T; readonly values: readonly string[] }
  | { readonly status: 'other-method'; readonly allow: string }
  | undefined

export interface Matcher<T> {
  find(method: string, path: string): Match<T>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter?: Node<T>
  methods?: Map<string, T>
}

const noValues: readonly string[] = []

// A literal segment wins over a parameter; HEAD follows GET; one trailing slash is ignored.
export function createMatcher<T extends Located>(entries: readonly T[]): Matcher<T> {
  const root: Node<T> = { literals: new Map() }
  const literalPaths = new Map<string, Map<string, T>>()
  for (const entry of entries) {
    const { method, path } = entry
    const node = toNode(root, path)
    const methods = (node.methods ??= new Map())
    if (methods.has(method)) throw new Error(`The route ${method} ${path} is defined twice.`)
    methods.set(method, entry)
    if (!path.includes(':')) literalPaths.set(path, methods)
  }

  return {
    find(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : method
      const literal = literalPaths.get(path)?.get(wanted)
      if (literal !== undefined) return { status: 'found', value: literal, values: noValues }
      return search(root, wanted, path)
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

interface Search<T> {
  readonly wanted: string
  readonly path: string
  /** Where the path ends; a trailing slash is not part of it. */
  readonly end: number
  readonly values: string[]
  /** Methods of the nodes that match the path but not the method. */
  others: Map<string, T>[] | undefined
}

function search<T>(root: Node<T>, wanted: string, path: string): Match<T> {
  if (path === '') return undefined
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const state: Search<T> = { wanted, path, end, values: [], others: undefined }
  const value = walk(root, 1, state)
  if (value !== undefined) return { status: 'found', value, values: state.values }
  return state.others && { status: 'other-method', allow: toAllow(state.others) }
}

// Depth first, literals before parameters; a node that lacks the method is only recorded.
function walk<T>(node: Node<T>, start: number, state: Search<T>): T | undefined {
  if (start > state.end) return take(node, state)
  const slash = state.path.indexOf('/', start)
  const end = slash === -1 ? state.end : slash
  const segment = state.path.slice(start, end)
  const literal = node.literals.get(segment)
  const found = literal && walk(literal, end + 1, state)
  if (found !== undefined || !node.parameter || segment === '') return found
  state.values.push(segment)
  const below = walk(node.parameter, end + 1, state)
  if (below === undefined) state.values.pop()
  return below
}

function take<T>({ methods }: Node<T>, state: Search<T>): T | undefined {
  if (methods === undefined) return undefined
  const value = methods.get(state.wanted)
  if (value === undefined) (state.others ??= []).push(methods)
  return value
}

function toAllow(found: readonly Map<string, unknown>[]): string {
  const methods = new Set(found.flatMap((others) => [...others.keys()]))
  if (methods.has('GET')) methods.add('HEAD')
  methods.add('OPTIONS')
  return [...methods].toSorted().join(', ')
}
