import { toRoute } from './choose-operations.ts'
import { type Operation } from './operations.ts'

const longest = 64
const allowed = /^[A-Za-z0-9_-]{1,64}$/

// `posts_list`, `posts_get`, `posts_comments_create`, `posts_publish`. Throws TypeError for a name that clients reject.
export function toToolName(operation: Operation, isList: boolean, wanted?: string): string {
  const name = wanted ?? deriveName(operation, isList)
  if (allowed.test(name)) return name
  throw new TypeError(
    `The tool of ${toRoute(operation)} cannot have the name '${name}': it needs 1 to ${longest} of A-Z a-z 0-9 _ -. State one: { route: '${toRoute(operation)}', name: '…' }.`,
  )
}

function deriveName({ method, path, response }: Operation, isList: boolean): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  const words = segments.filter((segment) => !/^(?:api|v\d+|\{.*)$/.test(segment))
  const isDocument = segments.at(-1)?.startsWith('{') === true
  const isAction = method === 'POST' && (isDocument || response.status !== 201) && words.length > 1
  const verb = isAction ? undefined : toVerb(method, isList)
  return [...words, verb]
    .filter((word) => word !== undefined)
    .map((word) => word.replaceAll(/[^A-Za-z0-9]+/g, '_'))
    .join('_')
}

const verbs: ReadonlyMap<string, string> = new Map(
  Object.entries({ DELETE: 'delete', GET: 'get', PATCH: 'update', POST: 'create', PUT: 'replace' }),
)

function toVerb(method: string, isList: boolean): string {
  return isList ? 'list' : (verbs.get(method) ?? method.toLowerCase())
}
