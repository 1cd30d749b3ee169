import { type RequestHandler } from 'express'
import { type JsonWebKeySet } from './keys.ts'

/**
 * Serves the public keys of access tokens (RFC 7517), for `/.well-known/jwks.json`. The format is
 * a standard's own, so it has no envelope.
 * @param jwks - the keys
 * @returns the handler
 */
export function serveJwks(jwks: JsonWebKeySet): RequestHandler {
  const body = JSON.stringify(jwks)
  return (_req, res) => {
    res.setHeader('Content-Type', 'application/jwk-set+json; charset=utf-8')
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.end(body)
  }
}
