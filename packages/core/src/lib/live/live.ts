import { createHash } from 'node:crypto'
import { type Request, type Response } from 'express'
import { mongo } from 'mongoose'
import { z, type ZodType } from 'zod'
import { type Scope, toScopeReader } from '../access/scope.ts'
import { withoutTimes } from '../resource/list-source.ts'
import { type ListQuery } from '../resource/list-query.ts'
import { type AnyModel } from '../resource/model.ts'
import { type LiveList, type Route, toResponses } from '../route/route.ts'
import { documents, toListing } from '../schemas/schema-marks.ts'
import { type EventOptions, events, openTextStream } from '../streams/events.ts'
import { findFeed, isModel } from './feed.ts'
import { parseId, type ReadList, type Source, type Subscriber } from './group.ts'
import { toIdTests } from './id-tests.ts'

export { type LivePage, type ReadList } from './group.ts'

/** Options for {@link live}. Times are in milliseconds. */
export interface LiveOptions extends EventOptions {
  /**
   * The documents that the caller of a request can reach, if they are not `req.scope`:
   * `(req) => inScope(req.scope, { post: req.valid.params.postId })`. It is called again whenever the access is checked.
   * @default (req) => req.scope
   */
  readonly scope?: ((req: never) => Scope | Promise<Scope>) | undefined
  /**
   * Maximum number of subscribers of the collection in this process; a further one is a 503 with `Retry-After`.
   * @default 10_000
   */
  readonly maxSubscribers?: number | undefined
}

/**
 * Adds `GET …/changes` to a list: server-sent events of the documents that the caller may see, with the filters of the list. An
 * event is `{ type: 'changed', data }` for a document that the list has now, `{ type: 'removed', id }` for one that it no longer
 * has, and `{ type: 'reset' }` when the client has to read the list: at the beginning, and if it may have missed something. A client
 * that connects again with `Last-Event-ID` receives what it has missed. The router needs the `model`, whose collection keeps documents before
 * their changes from the first subscriber on. Requires a replica set of MongoDB 6.0 or newer.
 * @param list - reads the list, with the query and the scope that it receives and nothing else of the request: what it returns
 * is sent to all subscribers with the same scope
 * @param options - scope, limits and times
 * @returns the value of `live` of a route
 * @throws TypeError when the route is not a list of documents with an id whose query was created with `defineListQuery`, or when
 * the router has no model
 * @example
 * ```ts
 * get(
 *   '/',
 *   {
 *     query: listArticles,
 *     response: article.array(),
 *     meta: listMeta,
 *     live: live((query, options) => findPage(ArticleModel, query, options)),
 *   },
 *   articles.list,
 * )
 * ```
 */
export function live(list: ReadList, options: LiveOptions = {}): LiveList {
  const { maxSubscribers = 10_000 } = options
  if (!Number.isSafeInteger(maxSubscribers) || maxSubscribers < 1) {
    throw new TypeError('maxSubscribers must be a whole number of at least 1.')
  }
  return {
    toRoute(route, model) {
      const name = `GET ${route.path}`
      const { query, response } = toSchemas(route, name)
      if (!isModel(model)) {
        throw new TypeError(
          `${name} is live, so its router needs a model: createRouter(routes, { model: PostModel }).`,
        )
      }
      const { access, before, deprecated, errors, params, references, tag } = route
      return {
        method: 'get',
        path: route.path === '/' ? '/changes' : `${route.path}/changes`,
        access,
        before,
        deprecated,
        errors: [...(errors ?? []), 'rate_limited'],
        params,
        query,
        references,
        response,
        tag,
        handler: (req: ChangesRequest, res) =>
          follow(res, { list, model, options, maxSubscribers, req }),
      }
    },
  }
}

function toSchemas(route: Route, name: string): { query: ZodType; response: ZodType } {
  const query = toListing(route.query)?.toUnpaged?.()
  const [list] = toResponses(route).values()
  const item = list instanceof z.ZodArray ? list.element : undefined
  if (route.method !== 'get' || !query || !(item instanceof z.ZodObject) || !item.shape['id']) {
    throw new TypeError(
      `${name} is live, so it must be a GET route with a query of defineListQuery() and a response of documents with an id: response: post.array().`,
    )
  }
  documents.add(item, {})
  const change = z.discriminatedUnion('type', [
    z.object({ type: z.literal('changed'), data: item }),
    z.object({ type: z.literal('removed'), id: item.shape['id'] }),
    z.object({ type: z.literal('reset') }),
  ])
  return { query, response: events(change) }
}

interface Following {
  readonly list: ReadList
  readonly model: AnyModel<unknown>
  readonly options: LiveOptions
  readonly maxSubscribers: number
  readonly req: ChangesRequest
}

type ChangesRequest = Request & { readonly valid: { readonly query: ListQuery } }

async function follow(res: Response, following: Following): Promise<void> {
  const { maxSubscribers, model, options, req } = following
  const source = await toSource(following)
  const feed = findFeed(model)
  const release = feed.reserve(maxSubscribers)
  let current: Subscriber | undefined
  res.once('close', () => {
    if (current) feed.leave(current)
    release()
  })
  const open = (): Subscriber => {
    const stream = openTextStream(res, options, {
      toHeartbeat: () => toHeartbeat(current && feed.toPosition(current)),
      onAdmitted: async () => {
        if (current) await feed.move(current, await toSource(following))
      },
      toFarewell: () => `data: {"type":"reset"}\n\n`,
    })
    const subscriber = { req, write: stream.write }
    stream.write('retry: 2000\n\n')
    current = subscriber
    return subscriber
  }
  try {
    await feed.start()
    if (res.closed) return
    const id = req.get('last-event-id')
    if (id === undefined || id === '') await feed.join(source, open)
    else await feed.resume(open(), source, parseId(id, source))
    if (current && res.closed) feed.leave(current)
  } catch (error) {
    release()
    throw error
  }
}

function toHeartbeat(position: string | undefined): string {
  return position === undefined ? ':\n\n' : `id: ${position}\n\n`
}

const numbers = new WeakMap<ReadList, number>()
let count = 0

async function toSource({ list, model, options, req }: Following): Promise<Source> {
  const { endpoint } = req
  if (!endpoint) throw new Error('A live list needs a route of createRouter().')
  const scope = await toScopeReader(options.scope, 'live({ scope })')(req)
  const { query } = req.valid
  const { fields, fingerprint, include = [] } = query
  const number = numbers.get(list) ?? (count += 1)
  numbers.set(list, number)
  const rest = {
    path: endpoint.path,
    fingerprint,
    fields,
    include: include.map((chosen) => [chosen.field, chosen.scope]),
  }
  return {
    key: toDigest({ rest, number, scope }),
    name: toDigest(Object(withoutTimes({ rest, scope }))),
    list,
    query,
    scope,
    endpoint,
    idTests: toIdTests(model.find({ ...scope }).cast(model)),
  }
}

function toDigest(value: object): string {
  const bytes = mongo.BSON.serialize(value, { serializeFunctions: true })
  return createHash('sha256').update(bytes).digest('base64url')
}
