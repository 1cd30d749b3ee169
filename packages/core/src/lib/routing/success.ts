import { type Response } from 'express'
import { setKnownHeader } from '../pipeline/deferred-headers.ts'
import { sendText } from '../pipeline/send-text.ts'

const jsonMediaType = 'application/json; charset=utf-8'

/**
 * Answers a request that succeeded: `{ "data": data }`, for lists `{ "data": data, "meta": meta }`.
 * The only writer of success bodies. Inside a route, `data` is built from the route's response
 * schema, so what the schema does not name is not sent. Set another status before:
 * `success(res.status(201), post)`. Without data the answer is 204. A GET whose `ETag` the client
 * has already is answered with 304 (RFC 9110 section 13.1.2).
 * @param res - the response
 * @param data - what the client asked for
 * @param meta - what is to be said about a list, such as page and total
 */
export function success(res: Response, data?: unknown, meta?: unknown): void {
  if (data === undefined) {
    res.status(204).end()
    return
  }
  if (res.req.headers['if-none-match'] !== undefined && isFresh(res)) {
    res.status(304).end()
    return
  }
  const { endpoint } = res.req
  const body = endpoint ? endpoint.render(data, meta) : JSON.stringify({ data, meta })
  if (!res.hasHeader('Content-Type')) {
    setKnownHeader(res, 'Content-Type', endpoint?.route.produces ?? jsonMediaType)
  }
  sendText(res, body)
}

function isFresh(res: Response): boolean {
  const tags = res.req.headers['if-none-match'] ?? ''
  const etag = res.getHeader('ETag')
  if (res.req.method !== 'GET' && res.req.method !== 'HEAD') return false
  if (typeof etag !== 'string' || res.statusCode !== 200) return false
  return tags
    .split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
