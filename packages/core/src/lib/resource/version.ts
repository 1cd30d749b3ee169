import { type Request, type Response } from 'express'
import { type QueryFilter, trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { setKnownHeader } from '../pipeline/deferred-headers.ts'
import { type AnyModel } from './any-model.ts'

/** A part of a filter: which versions of the document a request may write. */
export interface IfMatch {
  __v?: number | { $in: number[] }
}

// Versions count from 0, so these match no document.
const noVersion = -1
const noHeader = -2

/**
 * Sets a strong `ETag` made from the version of a document (RFC 9110 section 8.8.3).
 * @param res - the response
 * @param document - what is sent; without `__v` no header is set
 * @param document.__v - its version, counted by the plugin `versioned`
 * @returns the response
 */
export function setEtag(res: Response, document: { readonly __v?: unknown }): Response {
  const { __v: version } = document
  if (typeof version === 'number') setKnownHeader(res, 'ETag', `"${version}"`)
  return res
}

/**
 * Makes the response a 201 with the `Location` and the `ETag` of a new document.
 * @param res - the response
 * @param document - the new document
 * @param id - what stands for it in its path, instead of its `_id`
 * @returns the response
 */
export function setCreated(
  res: Response,
  document: { readonly _id: unknown; readonly __v?: unknown },
  id?: string,
): Response {
  const { _id: ownId } = document
  const path = res.req.originalUrl.replace(/\/?(\?.*)?$/, '')
  return setEtag(
    res.status(201).location(`${path}/${encodeURIComponent(id ?? String(ownId))}`),
    document,
  )
}

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1) as a part of the filter of an update, so that check
 * and write are one step. Without the header, and with `*`, every version matches.
 * @param req - the request; on a route with `requireIfMatch` the header must be there
 * @returns the part of the filter
 */
export function parseIfMatch(req: Request): IfMatch {
  const header = req.headers['if-match']
  if (header === undefined) return req.endpoint?.route.requireIfMatch ? { __v: noHeader } : {}
  if (header.trim() === '*') return {}
  const versions = header.split(',').map(parseVersion)
  return { __v: versions.length === 1 ? (versions[0] ?? noVersion) : trusted({ $in: versions }) }
}

function parseVersion(tag: string): number {
  // A weak or foreign tag never matches: If-Match compares strongly.
  const digits = /^\s*"(\d{1,15})"\s*$/.exec(tag)?.[1]
  return digits === undefined ? noVersion : Number(digits)
}

/**
 * Says why an update or delete met no document: 404 when there is none, 412 when it has another
 * version, 428 when the route requires `If-Match` and the request has none.
 * @param model - the model
 * @param filter - the filter of the update without the version
 * @param match - the version asked for
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required`
 */
export async function rejectMiss<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  match: IfMatch,
): Promise<never> {
  const { __v: version } = match
  if (version === undefined || !(await model.exists(filter))) throw new ApiError('not_found')
  throw new ApiError(version === noHeader ? 'precondition_required' : 'precondition_failed')
}

/**
 * Takes what a query found.
 * @param document - a document, or null
 * @returns the document
 * @throws ApiError `not_found` when there is none
 */
export function requireFound<T>(document: T | null): T {
  if (document === null) throw new ApiError('not_found')
  return document
}
