import { type Request, type Response } from 'express'
import { type core, z } from 'zod'
import { requireScopeRead } from '../access/scope.ts'
import { ApiError } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { type ListQuery } from '../resource/list-query.ts'
import { type ListMeta } from '../resource/schemas.ts'
import { listLimits } from '../resource/list-limits.ts'
import { type Sent } from '../response/sendable.ts'
import { success } from '../response/success.ts'
import { type ListFormat, toResponses } from '../route/route.ts'
import { findFieldRules } from '../schemas/restrict.ts'
import { forEachCaller } from '../routing/refused-rules.ts'
import { sendPieces } from '../streams/stream.ts'

/** A page of a list, as `findPage` returns it, whose documents the response `Res` can send. */
export interface ListPage<Res extends Response> {
  /** The documents. */
  readonly data: Sent<Res>[0]
  /** The meta of the list; `nextCursor` if another page follows. */
  readonly meta: ListMeta
}

/**
 * Sends a list. As JSON it is the page that the query requests. In one of the `formats` of the route, it is the whole
 * list: pages are read one after another by cursor and sent as fast as the client takes them, so that the memory that
 * it needs does not depend on their number. Before each page the access of the route is checked again. An error after
 * the first page closes the connection, so that the response does not look complete.
 * @param res - the response
 * @param query - the query, parsed by a schema of `defineListQuery`
 * @param read - reads a page: `(query) => findPage(PostModel, query, { scope: req.scope })`
 * @returns a promise that resolves when the list has been sent or the client has disconnected
 * @throws ApiError `invalid_query` for parameters of paging in a request for the whole list
 * @throws Error when `read` returns a page without `nextCursor` although another page follows
 * @example
 * ```ts
 * get(
 *   '/',
 *   { query: listArticles, response: article.array(), meta: listMeta, formats: [csv(), ndjson()] },
 *   (req, res) =>
 *     sendList(res, req.valid.query, (query) => findPage(ArticleModel, query, { scope: req.scope })),
 * )
 * ```
 */
export async function sendList<Res extends Response, Query extends ListQuery>(
  res: Res,
  query: Query,
  read: (query: Query) => Promise<ListPage<NoInfer<Res>>>,
): Promise<void> {
  const { format } = res.req
  if (format) {
    await sendWhole(res, { format, query, read: (cursor) => read(toQueryAfter(query, cursor)) })
    return
  }
  const { data, meta } = await read(query)
  success<Response>(res, data, meta)
}

interface WholeList {
  readonly format: ListFormat
  readonly query: ListQuery
  /** Reads the page after a cursor; the first one for the empty text. */
  readonly read: (cursor: string) => Promise<SomePage>
}

interface SomePage {
  readonly data: unknown
  readonly meta: ListMeta
}

async function sendWhole(res: Response, { format, query, read }: WholeList): Promise<void> {
  const { req } = res
  rejectPaging(req)
  const first = await read('')
  requireScopeRead(req)
  let next = toNext(first)
  const { head, toItem } = format.toText(...describeItems(req, query))
  const toRows = ({ data }: SomePage): string => toItems(req, data).map(toItem).join('')
  const start = head + toRows(first)
  const [name] = (req.endpoint?.path ?? '').match(/\w+$/) ?? ['list']
  res.setHeader('Content-Disposition', `attachment; filename="${name}.${format.extension}"`)
  await sendPieces(res, format.type, async function* () {
    yield start
    while (next !== undefined) {
      await req.endpoint?.checkAccess?.(req)
      const page = await read(next)
      next = toNext(page)
      yield toRows(page)
    }
  })
}

// The list is sent as a whole.
const pagingNames = ['page', 'offset', 'cursor', 'limit', 'total']

function rejectPaging({ originalUrl }: Request): void {
  const parameters = new URLSearchParams(originalUrl.replace(/^[^?]*/, ''))
  const errors = pagingNames
    .filter((name) => parameters.has(name))
    .map((name) => ({
      in: 'query' as const,
      pointer: toPointer([name]),
      code: 'not_paged',
      detail: 'is only for JSON: other media types contain the whole list',
    }))
  if (errors.length > 0) throw new ApiError('invalid_query', { errors })
}

function toQueryAfter<Query extends ListQuery>(query: Query, cursor: string): Query {
  return { ...query, offset: undefined, total: undefined, cursor, limit: listLimits.limit }
}

function toNext({ data, meta }: SomePage): string | undefined {
  if ('nextCursor' in meta) return meta.nextCursor
  const count = Array.isArray(data) ? data.length : 0
  if ('total' in meta && meta.total !== undefined && meta.total > count)
    throw new Error(pageMessage)
  return undefined
}

const pageMessage =
  'sendList() reads further pages by cursor, but its function has returned a page by number. Pass the query that it receives to findPage().'

type Description = Parameters<ListFormat['toText']>

// The schema of the documents, and which of their fields the response has.
function describeItems(req: Request, query: ListQuery): Description {
  const item = toItemSchema(req)
  const rules = findFieldRules(item, 'readable')
  const isReadable = forEachCaller(rules, (refused) => {
    const hidden = new Set(rules.filter(({ rule }) => refused.has(rule)).map(({ field }) => field))
    return (field: string) => !hidden.has(field)
  })(req)
  return [item, (field) => isReadable(field) && isSelected(query, field.split('.'))]
}

function isSelected(
  { fields, include = [] }: ListQuery,
  [name = '', below]: readonly string[],
): boolean {
  if (name === 'included')
    return below === undefined ? include.length > 0 : include.some(({ field }) => field === below)
  return fields === undefined || name === 'id' || fields.includes(name)
}

function toItemSchema({ endpoint }: Request): core.$ZodType {
  const [response] = endpoint ? toResponses(endpoint.route).values() : []
  return response instanceof z.ZodArray ? response.element : z.unknown()
}

function toItems(req: Request, data: unknown): readonly unknown[] {
  const items = req.endpoint?.toData?.(data, req)
  return Array.isArray(items) ? items : []
}
