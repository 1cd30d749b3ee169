import { type Request, type Response } from 'express'
import { createRouter, type Router } from '../routing/create-router.ts'
import { defineRoute } from '../routing/define-route.ts'
import { type JsonWebKeySet } from './keys.ts'

/**
 * Serves the public keys of access tokens (RFC 7517) as `jwks.json`. The format is a standard's
 * own, so it has no envelope.
 * @param jwks - the keys
 * @returns the router, to be mounted at `/.well-known`
 */
export function createJwksRouter(jwks: JsonWebKeySet): Router {
  const body = JSON.stringify(jwks)
  const handler = (_req: Request, res: Response): void => {
    res.setHeader('Content-Type', 'application/jwk-set+json; charset=utf-8')
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.end(body)
  }
  return createRouter([
    defineRoute({ method: 'get', path: '/jwks.json', access: 'public', handler }),
  ])
}
