import type jsonwebtoken from 'jsonwebtoken'
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { ApiError } from '../../errors/api-error.ts'
import { type KeyRing } from './keys.ts'
import { setBounded } from '../storage/set-bounded.ts'
import { createHs256Verifier } from './verify-hs256.ts'

// The claims of an access token (RFC 9068 section 2.2, without personal data).
export interface AccessClaims {
  readonly iss: string
  readonly aud: string
  /** Id of the user. */
  readonly sub: string
  /** Id of the session. */
  readonly sid: string
  readonly jti: string
  /** Seconds since the epoch. */
  readonly iat: number
  /** Seconds since the epoch. */
  readonly exp: number
  /** Claims of the application, under their namespace. */
  readonly [namespace: string]: unknown
}

export interface AccessTokenSettings {
  keys: KeyRing
  issuer: string
  audience: string
  /** In seconds. */
  lifetime: number
  /** Maximum difference between the clocks of two hosts, in seconds. */
  clockTolerance: number
  /** Names of claims beyond the standard ones that tokens carry. */
  extraClaims: readonly string[]
  /** Maximum number of verified tokens in the cache; 0 turns it off. */
  cacheSize: number
  now: () => number
}

export interface AccessTokens {
  sign(subject: AccessSubject): string
  /**
   * The only place where a token is trusted. It throws ApiError `token_expired` or `invalid_token`.
   */
  verify(token: string): AccessClaims
}

export interface AccessSubject {
  /** Id of the user. */
  sub: string
  /** Id of the session. */
  sid: string
  /** Id of the token. */
  jti: string
  issuedAt: Date
  /** Claims beyond the standard ones; their names are in the settings. */
  extra?: Readonly<Record<string, unknown>> | undefined
}

// Genuine tokens are much shorter; longer ones are rejected before any work.
const maxTokenLength = 8192
const maxCacheMs = 60_000
const id = z.string().regex(/^[\w-]{1,64}$/)
const second = z.int().nonnegative()

// The signer and the one strict verifier of access tokens (RFC 8725, RFC 9068). Verified tokens are
// cached by their digest: no token is kept, and no comparison can be timed. The cache saves signature
// work only; session and user are looked up after it.
export function createAccessTokens(settings: AccessTokenSettings): AccessTokens {
  const { cacheSize } = settings
  const cache = new Map<string, { claims: AccessClaims; until: number }>()
  const verifySignature = createVerifier(settings)
  const check = createCheck(settings)
  return {
    sign: (subject) => sign(subject, settings),
    verify(token) {
      if (token.length > maxTokenLength) throw new ApiError('invalid_token')
      const now = settings.now()
      // Not createHash: its object costs more than the digest.
      const key = cacheSize > 0 ? hash('sha256', token, 'base64') : ''
      const cached = cache.get(key)
      if (cached && now < cached.until) return cached.claims
      const claims = check(verifySignature(token), now)
      const until = Math.min(claims.exp * 1000, now + maxCacheMs)
      if (cacheSize > 0) setBounded(cache, key, { claims, until }, cacheSize)
      return claims
    },
  }
}

function sign(subject: AccessSubject, settings: AccessTokenSettings): string {
  const { keys, issuer, audience, lifetime } = settings
  const iat = Math.floor(subject.issuedAt.getTime() / 1000)
  const claims = {
    ...subject.extra,
    iss: issuer,
    aud: audience,
    sub: subject.sub,
    sid: subject.sid,
    jti: subject.jti,
    iat,
    exp: iat + lifetime,
  }
  return loadJsonwebtoken().sign(claims, keys.signing.key, {
    algorithm: keys.algorithm,
    header: { alg: keys.algorithm, typ: 'at+jwt', kid: keys.signing.kid },
  })
}

function createVerifier(settings: AccessTokenSettings): (token: string) => unknown {
  const { keys } = settings
  if (keys.algorithm === 'HS256') {
    const { clockTolerance, now } = settings
    return createHs256Verifier({ keys: keys.verifying, clockTolerance, now })
  }
  return (token) => verifyByLibrary(token, settings)
}

function verifyByLibrary(token: string, settings: AccessTokenSettings): unknown {
  const { keys } = settings
  const key = keys.verifying.get(readKeyId(token))
  if (!key) throw new ApiError('invalid_token')
  const { TokenExpiredError, verify } = loadJsonwebtoken()
  try {
    return verify(token, key, {
      algorithms: [keys.algorithm],
      issuer: settings.issuer,
      audience: settings.audience,
      clockTolerance: settings.clockTolerance,
      clockTimestamp: Math.floor(settings.now() / 1000),
      complete: true,
    })
  } catch (error) {
    if (error instanceof TokenExpiredError) throw new ApiError('token_expired')
    throw new ApiError('invalid_token')
  }
}

const requirePackage = createRequire(import.meta.url)

// Loaded with the first token that it signs or verifies: it is a dozen packages, and a start needs none of them.
function loadJsonwebtoken(): typeof jsonwebtoken {
  const loaded: typeof jsonwebtoken = requirePackage('jsonwebtoken')
  return loaded
}

const unverifiedHeader = z.object({ kid: z.string().max(64) })

function readKeyId(token: string): string {
  const end = token.indexOf('.')
  if (end < 1) throw new ApiError('invalid_token')
  try {
    const text = Buffer.from(token.slice(0, end), 'base64url').toString()
    return unverifiedHeader.parse(JSON.parse(text)).kid
  } catch {
    throw new ApiError('invalid_token')
  }
}

type Check = (verified: unknown, now: number) => AccessClaims

// What jsonwebtoken does not check: without this it accepts a token without `exp` or `sub`.
function createCheck(settings: AccessTokenSettings): Check {
  const schema = createTokenSchema(settings)
  return (verified, now) => {
    const result = schema.safeParse(verified)
    if (!result.success) throw new ApiError('invalid_token')
    const claims = result.data.payload
    const latest = Math.floor(now / 1000) + settings.clockTolerance
    const lifetime = claims.exp - claims.iat
    if (claims.iat > latest || lifetime <= 0 || lifetime > settings.lifetime)
      throw new ApiError('invalid_token')
    // The cache returns the same object to every request.
    return deepFreeze(claims)
  }
}

function createTokenSchema({
  keys,
  issuer,
  audience,
  extraClaims,
}: AccessTokenSettings): z.ZodType<{
  payload: AccessClaims
}> {
  return z.object({
    header: z.object({
      alg: z.literal(keys.algorithm),
      typ: z.literal('at+jwt'),
      kid: z.string(),
      crit: z.undefined().optional(),
    }),
    payload: z.strictObject({
      ...Object.fromEntries(extraClaims.map((name) => [name, z.unknown()])),
      iss: z.literal(issuer),
      aud: z.literal(audience),
      sub: id,
      sid: id,
      jti: id,
      iat: second,
      exp: second,
    }),
  })
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
