import { type ExpressRoute, type RoutePlace, toRoutePlace } from './express-routes.ts'
import { type LoadedApp, type MongooseModel } from './load-express.ts'

export interface ResourceCandidate {
  /** Last text of the path. */
  readonly name: string
  readonly path: string
  /** Such as `GET /posts/:id`: those that a generated resource has as well. */
  readonly routes: readonly string[]
  /** Other routes below the path. */
  readonly others: readonly string[]
  /** A model whose name or collection is that of the path. */
  readonly model?: { readonly name: string; readonly place?: RoutePlace | undefined } | undefined
}

const onCollection = ['GET', 'POST']
const onDocument = ['GET', 'PUT', 'PATCH', 'DELETE']

// Paths whose routes list or read documents, and do one of the other things that a resource does.
export function findResources(
  routes: readonly ExpressRoute[],
  { models }: LoadedApp,
  root: string,
): readonly ResourceCandidate[] {
  const known = routes.filter(({ path }) => !path.includes('<'))
  const paths = [...new Set(known.flatMap(({ path }) => toBase(path) ?? []))]
  return paths.flatMap((path) => {
    const below = known.filter((route) => route.path === path || route.path.startsWith(`${path}/`))
    const own = below.filter((route) => isOwn(route, path))
    const reads = own.filter(({ method }) => method === 'GET').length
    if (reads === 0 || own.length < 2) return []
    const name = path.split('/').at(-1) ?? ''
    const model = models.find((one) => belongsTo(one, name))
    const others = below.filter((route) => !own.includes(route))
    return [
      {
        name,
        path,
        routes: own.map(toText),
        others: others.map(toText),
        model: model && { name: model.name, place: toRoutePlace(model.place, root) },
      },
    ]
  })
}

const toText = ({ method, path }: ExpressRoute): string => `${method} ${path}`

// `/posts` of `/posts` and `/posts/:id`.
function toBase(path: string): string | undefined {
  const base = path.replace(/\/:\w+(\([^()]*\))?$/, '')
  return /\/[\w.~-]+$/.test(base) ? base : undefined
}

function isOwn({ method, path }: ExpressRoute, base: string): boolean {
  if (path === base) return onCollection.includes(method)
  const rest = path.slice(base.length)
  return /^\/:\w+(\([^()]*\))?$/.test(rest) && onDocument.includes(method)
}

function belongsTo({ collection = '', name }: MongooseModel, segment: string): boolean {
  const wanted = toPlain(segment)
  const forms = [name, collection].map(toPlain)
  const singular = wanted.replace(/ies$/, 'y').replace(/s$/, '')
  return forms.some((form) => form !== '' && (form === wanted || form === singular))
}

function toPlain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}
