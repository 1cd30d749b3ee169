import jsonwebtoken from 'jsonwebtoken'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { type KeyRing } from './keys.ts'
import { createTokenCache, type TokenCache } from './token-cache.ts'

/** What an access token says (RFC 9068 section 2.2, without personal data). */
export interface AccessClaims {
  /** Issuer. */
  readonly iss: string
  /** Audience. */
  readonly aud: string
  /** Id of the user. */
  readonly sub: string
  /** Id of the session. */
  readonly sid: string
  /** Id of the token. */
  readonly jti: string
  /** Seconds since the epoch at which it was made. */
  readonly iat: number
  /** Seconds since the epoch at which it ends. */
  readonly exp: number
  /** Claims of the application, under their namespace. */
  readonly [namespace: string]: unknown
}

/** Settings of access tokens. */
export interface AccessTokenSettings {
  /** The keys. */
  keys: KeyRing
  /** `iss` of every token. */
  issuer: string
  /** `aud` of every token. */
  audience: string
  /** Lifetime in seconds. */
  lifetime: number
  /** By how many seconds the clocks of two hosts may differ. */
  clockTolerance: number
  /** Names of claims beyond the standard ones that tokens carry. */
  extraClaims: readonly string[]
  /** Most verified tokens kept; 0 keeps none. */
  cacheSize: number
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Makes and verifies access tokens. */
export interface AccessTokens {
  /**
   * Signs a token.
   * @param subject - ids of user and session, and extra claims
   * @returns the token
   */
  sign(subject: AccessSubject): string
  /**
   * Verifies a token: the only place where one is trusted.
   * @param token - as it came
   * @returns its claims
   * @throws ApiError `token_expired` or `invalid_token`
   */
  verify(token: string): AccessClaims
}

/** Whom an access token is for. */
export interface AccessSubject {
  /** Id of the user. */
  sub: string
  /** Id of the session. */
  sid: string
  /** Claims beyond the standard ones; their names are in the settings. */
  extra?: Readonly<Record<string, unknown>> | undefined
}

// No token of ours comes near; what is longer is refused before any work.
const longestToken = 8192
const id = z.string().regex(/^[\w-]{1,64}$/)
const second = z.int().nonnegative()

/**
 * Makes the signer and the one strict verifier of access tokens (RFC 8725, RFC 9068).
 * @param settings - keys, issuer, audience and times
 * @returns both
 */
export function createAccessTokens(settings: AccessTokenSettings): AccessTokens {
  const cache = createTokenCache<AccessClaims>(settings.cacheSize)
  const check = createCheck(settings)
  return {
    sign: (subject) => sign(subject, settings),
    verify: (token) => verify(token, { settings, cache, check }),
  }
}

function sign(subject: AccessSubject, settings: AccessTokenSettings): string {
  const { keys, issuer, audience, lifetime, now } = settings
  const iat = Math.floor(now() / 1000)
  const claims = {
    ...subject.extra,
    iss: issuer,
    aud: audience,
    sub: subject.sub,
    sid: subject.sid,
    jti: randomBytes(16).toString('base64url'),
    iat,
    exp: iat + lifetime,
  }
  return jsonwebtoken.sign(claims, keys.signing.key, {
    algorithm: keys.algorithm,
    header: { alg: keys.algorithm, typ: 'at+jwt', kid: keys.signing.kid },
  })
}

interface Verification {
  settings: AccessTokenSettings
  cache: TokenCache<AccessClaims>
  check: Check
}

function verify(token: string, { settings, cache, check }: Verification): AccessClaims {
  if (token.length > longestToken) throw new ApiError('invalid_token')
  const now = settings.now()
  const known = cache.get(token, now)
  if (known) return known
  const claims = check(verifySignature(token, settings), now)
  cache.set(token, claims, { now, expiresAt: claims.exp * 1000 })
  return claims
}

function verifySignature(token: string, settings: AccessTokenSettings): unknown {
  const key = settings.keys.verifying.get(readKeyId(token))
  if (!key) throw new ApiError('invalid_token')
  try {
    return jsonwebtoken.verify(token, key, {
      algorithms: [settings.keys.algorithm],
      issuer: settings.issuer,
      audience: settings.audience,
      clockTolerance: settings.clockTolerance,
      clockTimestamp: Math.floor(settings.now() / 1000),
      complete: true,
    })
  } catch (error) {
    if (error instanceof jsonwebtoken.TokenExpiredError) throw new ApiError('token_expired')
    throw new ApiError('invalid_token')
  }
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

// What jsonwebtoken does not look at: without this it accepts a token without `exp` or `sub`.
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
    // The cache hands the same object to every request.
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
