import { createPublicKey, type KeyObject } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { z } from 'zod'
import { type Authenticator } from '../../src/lib/route/request.ts'
import { defineAuthenticator } from '../../src/lib/auth/service/define-authenticator.ts'
import { ApiError } from '../../src/lib/errors/api-error.ts'

// docs/recipes/openid-login.md shows what follows.
const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) })
const caller = z.object({
  sub: z.string(),
  email: z.string(),
  roles: z.array(z.string()).default([]),
})

// The roles of this API; the issuer may have others.
const roleNames = ['admin'] as const

export function createOpenIdAuthenticator(issuer: string, audience: string): Authenticator {
  // `jwks_uri` of the provider.
  const findKey = createKeyFinder(`${issuer}/.well-known/jwks.json`)
  return defineAuthenticator(
    async (req) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '') ?? []
      if (token === undefined) return undefined
      const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid
      const key = await findKey(kid ?? '')
      if (!key) throw new ApiError('invalid_token')
      // The list of algorithms matters: without it, a token could choose how it is verified.
      const claims = jsonwebtoken.verify(token, key, { algorithms: ['RS256'], issuer, audience })
      const { success, data } = caller.safeParse(claims)
      if (!success) throw new ApiError('invalid_token')
      const roles = roleNames.filter((name) => data.roles.includes(name))
      return { id: data.sub, email: data.email, roles }
    },
    {
      securitySchemes: {
        openId: {
          type: 'openIdConnect',
          openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
        },
      },
    },
  )
}

// Loads the keys with the first token, and again for a key that is not known yet. It does so at most once in 10 seconds,
// because anyone can send tokens with invented key ids.
function createKeyFinder(url: string): (kid: string) => Promise<KeyObject | undefined> {
  let keys = new Map<string, KeyObject>()
  let loading: Promise<void> | undefined
  let loadedAt = -Infinity
  const load = async (): Promise<void> => {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
    if (!response?.ok) throw new ApiError('service_unavailable')
    const { keys: found } = keySet.parse(await response.json())
    const usable = found.filter(({ kty }) => kty === 'RSA')
    keys = new Map(usable.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]))
    loadedAt = Date.now()
  }
  return async (kid) => {
    if (!keys.has(kid) && Date.now() - loadedAt > 10_000) {
      await (loading ??= load().finally(() => (loading = undefined)))
    }
    return keys.get(kid)
  }
}
