import { type Request } from 'express'
import { type QueryFilter, trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { type AnyModel } from './model.ts'

/** The part of a filter that limits which versions of a document a request may change. */
export interface IfMatch {
  /** The accepted versions; absent if any version is. */
  __v?: number | { $in: number[] }
  /** Compares the id too, for paths where a new document can replace the old one. */
  $expr?: object
}

// Versions count from 0, so these match no document.
const noVersion = -1
const noHeader = -2

/**
 * Turns `If-Match` (RFC 9110 section 13.1.1) into a part of the filter of an update, so that check
 * and write are one atomic step. Without the header, and with `*`, every version matches. With
 * `If-None-Match: *`, which means create and never overwrite, no version matches.
 * @param req - the request; on a route with `requireIfMatch` a missing header matches no version
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
  // Compared as text, because the client may send something that is not an id.
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
 * Throws the error for an update or delete that matched no document: 404 when there is none, 412 when
 * it has another version, 428 when the route requires `If-Match` and the request has none.
 * @param model - the model
 * @param filter - the filter of the update without the version
 * @param match - the requested versions, as returned by `parseIfMatch`
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
 * Returns the document that a query found, or throws 404 if there is none.
 * @param document - a document; null or undefined if there is none
 * @returns the document
 * @throws ApiError `not_found` when there is none
 */
export function requireFound<T>(document: T | null | undefined): T {
  if (document === null || document === undefined) throw new ApiError('not_found')
  return document
}
