import { type OutgoingHttpHeaders } from 'node:http'
import { type Request, type Response } from 'express'
import {
  dropHeaders,
  getDefaultCaching,
  setDefaultCaching,
  settleHeaders,
} from '../fast/deferred-headers.ts'

// The properties that the host of a mounted app has set on a request and its response.
export interface HostState {
  readonly id: string
  readonly caching: string | undefined
  readonly headers: OutgoingHttpHeaders
}

export function readHostState(req: Request, res: Response): HostState {
  return { id: req.id, caching: getDefaultCaching(res), headers: res.getHeaders() }
}

// The headers at the end of the pipeline: one that differs later was set by other middleware and stays. Everything goes where
// nothing runs after it.
export type Left = OutgoingHttpHeaders | 'everything'

// Undoes what the pipeline has set, for a request that a mounted app passes on.
export function restoreHostState(req: Request, res: Response, host: HostState, left: Left): void {
  if (left === 'everything') dropHeaders(res)
  // The methods of the host's responses do not know of deferred headers.
  else settleHeaders(res)
  if (res.headersSent) return
  if (host.id) req.id = host.id
  setDefaultCaching(res, host.caching)
  if (left === 'everything') restoreAll(res, host.headers)
  else restoreLeft(res, host.headers, left)
}

function restoreAll(res: Response, headers: OutgoingHttpHeaders): void {
  for (const name of res.getHeaderNames()) if (!Object.hasOwn(headers, name)) res.removeHeader(name)
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !isSame(res.getHeader(name), value)) res.setHeader(name, value)
  }
}

function restoreLeft(res: Response, headers: OutgoingHttpHeaders, left: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(left)) {
    const original = headers[name]
    if (isSame(original, value) || !isSame(res.getHeader(name), value)) continue
    if (original === undefined) res.removeHeader(name)
    else res.setHeader(name, original)
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return String(one) === String(other)
}
