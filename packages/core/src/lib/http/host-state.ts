import { type OutgoingHttpHeaders } from 'node:http'
import { type Request, type Response } from 'express'
import { getDefaultCaching, setDefaultCaching, settleHeaders } from '../fast/deferred-headers.ts'

// The properties that the host of a mounted app has set on a request and its response.
export interface HostState {
  readonly id: string
  readonly caching: string | undefined
  readonly headers: OutgoingHttpHeaders
}

export function readHostState(req: Request, res: Response): HostState {
  return { id: req.id, caching: getDefaultCaching(res), headers: res.getHeaders() }
}

// Undoes what the pipeline has set, for a request that a mounted app passes on. `left` holds the headers
// at the end of the pipeline: one that differs now was set by later middleware and stays.
export function restoreHostState(
  req: Request,
  res: Response,
  host: HostState,
  left: OutgoingHttpHeaders = host.headers,
): void {
  // The methods of the host's responses do not know of deferred headers.
  settleHeaders(res)
  if (res.headersSent) return
  if (host.id) req.id = host.id
  setDefaultCaching(res, host.caching)
  for (const [name, value] of Object.entries(left)) {
    const original = host.headers[name]
    if (isSame(original, value) || !isSame(res.getHeader(name), value)) continue
    if (original === undefined) res.removeHeader(name)
    else res.setHeader(name, original)
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return String(one) === String(other)
}
