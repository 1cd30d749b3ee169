import { type Request, type Response } from 'express'
import { type QueryFilter, trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { setKnownHeader } from '../pipeline/deferred-headers.ts'
import { type AnyModel } from './any-model.ts'

/** A part of a filter: which versions of the document a request may write. */
export interface IfMatch {
  __v?: number | { $in: number[] }
  /** Which document it was, where another may have taken its place in the path. */
  $expr?: object
}

// Versions count from 0, so these match no document.
const noVersion = -1
const noHeader = -2

/** A document as far as its `ETag` goes. */
export interface Versioned {
  /** Its id. */
  readonly _id?: unknown
  /** Its version, counted by the plugin `versioned`. */
  readonly __v?: unknown
}

/**
 * Sets a strong `ETag` made from the version of a document (RFC 9110 section 8.8.3). Where the path
 * names it by something else than its id, such as a slug, the id is a part of the tag: a new document
 * under an old slug begins with version 0 again, and must not pass for the old one.
 * @param res - the response
 * @param document - what is sent; without `__v` no header is set
 * @returns the response
 */
export function setEtag(res: Response, document: Versioned): Response {
  const { _id: id } = document
  const names = Object.values(res.req.params)
  const isNamedById = names.length === 0 || names.includes(String(id))
  return writeEtag(res, document, isNamedById)
}

function writeEtag(res: Response, document: Versioned, isNamedById: boolean): Response {
  const { _id: id, __v: version } = document
  if (typeof version !== 'number') return res
  const tag = isNamedById ? `"${version}"` : `"${version}-${encodeURIComponent(String(id))}"`
  setKnownHeader(res, 'ETag', tag)
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
  document: Versioned & { readonly _id: unknown },
  id?: string,
): Response {
  const { _id: ownId } = document
  const path = res.req.originalUrl.replace(/\/?(\?.*)?$/, '')
  res.status(201).location(`${path}/${encodeURIComponent(id ?? String(ownId))}`)
  return writeEtag(res, document, id === undefined)
}

/**
 * Reads `If-Match` (RFC 9110 section 13.1.1) as a part of the filter of an update, so that check
 * and write are one step. Without the header, and with `*`, every version matches. With
 * `If-None-Match: *`, of a client that means to create and not to overwrite, no version does.
 * @param req - the request; on a route with `requireIfMatch` the header must be there
 * @returns the part of the filter
 */
export function parseIfMatch(req: Request): IfMatch {
  if (req.headers['if-none-match']?.trim() === '*') return { __v: noVersion }
  const header = req.headers['if-match']
  if (header === undefined) return req.endpoint?.route.requireIfMatch ? { __v: noHeader } : {}
  if (header.trim() === '*') return {}
  const tags = header.split(',').map(parseTag)
  const versions = tags.map(({ version }) => version)
  const match = versions.length === 1 ? (versions[0] ?? noVersion) : trusted({ $in: versions })
  const named = tags.filter(({ id }) => id !== undefined)
  if (named.length === 0) return { __v: match }
  // Compared as text, because what a client sends need not be an id at all.
  const text = { $concat: [{ $toString: '$__v' }, '-', { $toString: '$_id' }] }
  const texts = named.map(({ version, id }) => `${version}-${id}`)
  return { __v: match, $expr: trusted({ $in: [text, { $literal: texts }] }) }
}

interface Tag {
  readonly version: number
  readonly id?: string | undefined
}

function parseTag(tag: string): Tag {
  // A weak or foreign tag never matches: If-Match compares strongly.
  const [, digits, id] = /^\s*"(\d{1,15})(?:-([\w.~%!*'()-]{1,200}))?"\s*$/.exec(tag) ?? []
  if (digits === undefined) return { version: noVersion }
  try {
    return { version: Number(digits), id: id === undefined ? undefined : decodeURIComponent(id) }
  } catch {
    return { version: noVersion }
  }
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
