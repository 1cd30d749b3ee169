import { type Response } from 'express'
import { setEtag } from './etag.ts'
import { setKnownHeader } from '../fast/deferred-headers.ts'
import { requireScopeRead } from '../access/scope.ts'
import { type Sent } from './sendable.ts'
import { sendText } from './send-text.ts'

const jsonMediaType = 'application/json; charset=utf-8'

/**
 * Sends a successful response: `{ "data": data }`, for lists `{ "data": data, "meta": meta }`. Inside a
 * route, `data` is built from the route's response schema: other fields are not sent. The status is that of the
 * route, by default 200, or 204 without data; of several, `success(res.status(201), post)` selects one. On a route with `etag: true` the
 * version of the document becomes its `ETag`. A GET whose
 * `If-None-Match` contains the `ETag` of the response gets a 304 (RFC 9110 section 13.1.2).
 * @param res - the response
 * @param sent - the data, which the compiler compares with the response schema, and facts about a list as `meta`, such as
 * page and total
 * @throws Error when the access of the route is a filter and the handler has not read `req.scope`
 * @example
 * ```ts
 * get('/greeting', { access: 'public', response: z.object({ text: z.string() }) }, (_req, res) => {
 *   success(res, { text: 'Hello' }) // { "data": { "text": "Hello" } }
 * })
 * ```
 */
export function success<Res extends Response>(res: Res, ...sent: Sent<Res>): void
export function success(res: Response, data?: unknown, meta?: unknown): void {
  requireScopeRead(res.req)
  const { endpoint } = res.req
  const hasData = data !== undefined
  if (endpoint) res.statusCode = endpoint.toStatus(res.statusCode, hasData)
  else if (!hasData) res.statusCode = 204
  if (!hasData) {
    res.end()
    return
  }
  if (endpoint?.route.etag && !res.hasHeader('ETag')) setEtag(res, Object(data))
  if (res.req.headers['if-none-match'] !== undefined && isFresh(res)) res.status(304).end()
  else sendData(res, data, meta)
}

function sendData(res: Response, data: unknown, meta: unknown): void {
  const { endpoint } = res.req
  const body = endpoint
    ? endpoint.render(data, meta, res.statusCode, res.req)
    : JSON.stringify({ data, meta })
  if (!res.hasHeader('Content-Type')) {
    setKnownHeader(res, 'Content-Type', endpoint?.route.produces ?? jsonMediaType)
  }
  sendText(res, body)
}

// `req.fresh` is false with `Cache-Control: no-cache`, which `fetch` adds to every `If-None-Match`.
function isFresh(res: Response): boolean {
  // The client may have got the document when its caller could read other fields.
  if (res.req.endpoint?.dependsOnCaller) return false
  const tags = res.req.headers['if-none-match'] ?? ''
  const etag = res.getHeader('ETag')
  if (res.req.method !== 'GET' && res.req.method !== 'HEAD') return false
  if (typeof etag !== 'string' || res.statusCode !== 200) return false
  const current = toOpaque(etag)
  return tags.split(',').some((tag) => tag.trim() === '*' || toOpaque(tag) === current)
}

// The comparison is weak (RFC 9110 section 8.8.3.2).
function toOpaque(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
