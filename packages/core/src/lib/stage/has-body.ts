import { type Request } from 'express'

// Whether a request has a body that is not empty (RFC 9112 section 6).
export function hasBody(req: Request): boolean {
  const length = req.headers['content-length']
  return length === undefined ? req.headers['transfer-encoding'] !== undefined : length !== '0'
}
