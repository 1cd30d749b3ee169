import { type Response } from 'express'
import { setKnownHeader } from '../fast/deferred-headers.ts'
import { readField } from '../json/stored-value.ts'

/** The fields of a document that its `ETag` is made of. */
export interface Versioned {
  /** Its id. */
  readonly _id?: unknown
  /** Its version, maintained by the plugin `versioned`. */
  readonly __v?: unknown
}

/**
 * Sets a strong `ETag` from the version of a document (RFC 9110 section 8.8.3). `success` does so on routes with
 * `etag: true`. If the path names the document by something other than its id, such as a slug, the tag contains the id
 * too: a new document under an old slug starts at version 0 again and must not match the tag of the old one.
 * @param res - the response
 * @param document - the document that is sent; without `__v` no header is set
 * @returns the response
 */
export function setEtag<Res extends Response>(res: Res, document: Versioned): Res {
  const version = readField(document, '__v')
  if (typeof version !== 'number') return res
  const id = readField(document, '_id')
  const tag = isNamedById(res, id)
    ? `"${version}"`
    : `"${version}-${encodeURIComponent(String(id))}"`
  setKnownHeader(res, 'ETag', tag)
  return res
}

function isNamedById(res: Response, id: unknown): boolean {
  const created = res.getHeader('Location')
  if (typeof created === 'string') return created.endsWith(`/${encodeURIComponent(String(id))}`)
  const names = Object.values(res.req.params)
  return names.length === 0 || names.includes(String(id))
}

/**
 * Sets status 201 and the header field `Location` for a new document.
 * @param res - the response
 * @param document - the new document
 * @param document._id - its id
 * @param name - the last segment of its path, if that is not its `_id`
 * @returns the response
 */
export function setCreated<Res extends Response>(
  res: Res,
  { _id: id }: { readonly _id: unknown },
  name?: string,
): Res {
  const path = res.req.originalUrl.replace(/\/?(\?.*)?$/, '')
  return res.status(201).location(`${path}/${encodeURIComponent(name ?? String(id))}`)
}
