import jsonwebtoken from 'jsonwebtoken'
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AccessTokenSettings, createAccessTokens } from './access-token.ts'
import { createKeyRing } from './keys.ts'

const secret = randomBytes(32).toString('base64')
const sub = '65f0c0ffee0123456789abcd'
const sid = '65f0c0ffee0123456789abce'
const start = Date.UTC(2026, 0, 1)
const subject = { sub, sid, jti: 'token', issuedAt: new Date(start) }

function createSettings(settings: Partial<AccessTokenSettings> = {}): AccessTokenSettings {
  return {
    keys: createKeyRing([secret]),
    issuer: 'blog',
    audience: 'blog',
    lifetime: 900,
    clockTolerance: 5,
    extraClaims: [],
    cacheSize: 10,
    now: () => start,
    ...settings,
  }
}

const settings = createSettings()
const tokens = createAccessTokens(settings)
const { kid, key } = settings.keys.signing
const claims = tokens.verify(tokens.sign(subject))

// Signs tokens that createAccessTokens never would, with the real key.
function forge(payload: unknown, header: object = {}): string {
  const parts = [{ alg: 'HS256', typ: 'at+jwt', kid, ...header }, payload]
  const text = parts
    .map((part) => toBase64url(typeof part === 'string' ? part : JSON.stringify(part)))
    .join('.')
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

function toBase64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

describe('createAccessTokens', () => {
  it('verifies what it signed', () => {
    expect(forge(claims)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(tokens.verify(forge(claims))).toEqual(claims)
    expect(claims).toMatchObject({
      iss: 'blog',
      aud: 'blog',
      sub,
      sid,
      iat: start / 1000,
      exp: start / 1000 + 900,
    })
  })

  it('TOK-10 issues tokens with the given id, and allow-listed claims only', () => {
    expect(tokens.sign(subject)).not.toBe(tokens.sign({ ...subject, jti: 'other' }))
    expect(Object.keys(claims).toSorted()).toEqual([
      'aud',
      'exp',
      'iat',
      'iss',
      'jti',
      'sid',
      'sub',
    ])
  })

  it.each(['none', 'nOnE', 'HS384', 'HS512', 'RS256'])('TOK-01 refuses alg %s', (alg) => {
    const { signature } = jsonwebtoken.decode(tokens.sign(subject), { complete: true }) ?? {}
    const head = `${toBase64url(JSON.stringify({ alg, typ: 'at+jwt', kid }))}.${toBase64url(JSON.stringify(claims))}`
    expect(() => tokens.verify(`${head}.${signature}`)).toThrow('The token is not valid.')
    expect(() => tokens.verify(`${head}.`)).toThrow('The token is not valid.')
    if (!alg.startsWith('HS')) return
    const mac = createHmac(alg.replace('HS', 'sha'), key).update(head).digest('base64url')
    expect(() => tokens.verify(`${head}.${mac}`)).toThrow('The token is not valid.')
  })

  it('TOK-02 rejects an HS256 token signed with the public key', () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const keys = createKeyRing([secret], [{ algorithm: 'ES256', privateKey }])
    const asymmetric = createAccessTokens(createSettings({ keys }))
    const head = `${toBase64url(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: keys.signing.kid }))}.${toBase64url(JSON.stringify(claims))}`
    const forged = `${head}.${createHmac('sha256', pem).update(head).digest('base64url')}`
    expect(asymmetric.verify(asymmetric.sign(subject))).toMatchObject({ sub, sid })
    expect(() => asymmetric.verify(forged)).toThrow('The token is not valid.')
  })

  it.each([
    ['no exp', { exp: undefined }],
    ['exp 1e308', { exp: 1e308 }],
    ['a text as exp', { exp: '9999999999' }],
    ['a fraction as exp', { exp: claims.exp - 0.5 }],
    ['ten years', { exp: claims.iat + 315_360_000 }],
    ['a lifetime of none', { iat: claims.exp }],
  ])('TOK-03 refuses %s', (_, change) => {
    expect(() => tokens.verify(forge({ ...claims, ...change }))).toThrow('The token is not valid.')
  })

  it('TOK-04 allows for the clock tolerance, and no more', () => {
    const after = (seconds: number): ReturnType<typeof createAccessTokens> =>
      createAccessTokens(createSettings({ now: () => (claims.exp + seconds) * 1000 }))
    const token = forge(claims)
    expect(after(3).verify(token)).toEqual(claims)
    expect(() => after(10).verify(token)).toThrow('The access token has expired.')
    expect(() =>
      tokens.verify(forge({ ...claims, iat: claims.iat + 3600, exp: claims.exp + 3600 })),
    ).toThrow('The token is not valid.')
    expect(() => tokens.verify(forge({ ...claims, nbf: claims.iat + 3600 }))).toThrow(
      'The token is not valid.',
    )
  })

  it.each([
    ['typ JWT', claims, { typ: 'JWT' }],
    ['no typ', claims, { typ: undefined }],
    ['typ rt+jwt', claims, { typ: 'rt+jwt' }],
  ])('TOK-05 refuses %s', (_, payload, header) => {
    expect(() => tokens.verify(forge(payload, header))).toThrow('The token is not valid.')
  })

  it.each(['iss', 'aud'])('TOK-06 refuses a missing or wrong %s', (name) => {
    for (const value of [undefined, 'other', ['blog'], '']) {
      expect(() => tokens.verify(forge({ ...claims, [name]: value }))).toThrow(
        'The token is not valid.',
      )
    }
  })

  it.each([
    ['a list', [1], {}],
    ['a text', 'hello', {}],
    ['an operator as sub', { ...claims, sub: { $ne: null } }, {}],
    ['a number as sub', { ...claims, sub: 1 }, {}],
    ['no sid', { ...claims, sid: undefined }, {}],
    ['no jti', { ...claims, jti: undefined }, {}],
    ['an unknown claim', { ...claims, admin: true }, {}],
    ['crit', claims, { crit: ['x'] }],
  ])('TOK-07 refuses %s', (_, payload, header) => {
    expect(() => tokens.verify(forge(payload, header))).toThrow('The token is not valid.')
  })

  it.each([
    ['a path', { kid: '../../dev/null' }],
    ['SQL', { kid: "' or 1=1" }],
    ['10 kB', { kid: 'x'.repeat(10_000) }],
    ['an object', { kid: {} }],
    ['none', { kid: undefined }],
    ['a property of Object', { kid: '__proto__' }],
  ])('TOK-08 refuses %s as kid', (_, header) => {
    expect(() => tokens.verify(forge(claims, header))).toThrow('The token is not valid.')
  })

  it('TOK-08 ignores jwk, jku, x5u and x5c', () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const header = {
      alg: 'RS256' as const,
      typ: 'at+jwt',
      kid,
      jku: 'http://127.0.0.1:1/jwks',
      jwk: pair.publicKey.export({ format: 'jwk' }),
    }
    const forged = jsonwebtoken.sign(claims, pair.privateKey, { algorithm: 'RS256', header })
    expect(() => tokens.verify(forged)).toThrow('The token is not valid.')
  })

  it('TOK-09 verifies with every listed key and refuses a removed one', () => {
    const next = randomBytes(32).toString('base64')
    const rotated = createAccessTokens(createSettings({ keys: createKeyRing([next, secret]) }))
    const later = createAccessTokens(createSettings({ keys: createKeyRing([next]) }))
    const old = tokens.sign(subject)
    expect(rotated.verify(old)).toMatchObject({ sub })
    expect(later.verify(rotated.sign(subject))).toMatchObject({ sub })
    expect(() => later.verify(old)).toThrow('The token is not valid.')
  })

  it('TOK-13 rejects malformed tokens quickly and never fails otherwise', () => {
    const good = tokens.sign(subject)
    const malformed = [
      '',
      '.',
      '..',
      'a.b',
      'a.b.c.d',
      'x'.repeat(9000),
      '\0.\0.\0',
      `${good}=`,
      good.slice(0, -5),
      good.replace('.', '!.'),
      `${toBase64url('[]')}.${toBase64url('{}')}.x`,
      `${toBase64url('null')}..`,
    ]
    for (const token of malformed)
      expect(() => tokens.verify(token)).toThrow('The token is not valid.')
    for (let round = 0; round < 1000; round++) {
      const position = Math.floor((round / 1000) * good.length)
      const mutated =
        good.slice(0, position) + String.fromCharCode(33 + (round % 90)) + good.slice(position + 1)
      const isSame = Buffer.from(mutated.slice(mutated.lastIndexOf('.')), 'base64url').equals(
        Buffer.from(good.slice(good.lastIndexOf('.')), 'base64url'),
      )
      if (
        isSame &&
        mutated.slice(0, mutated.lastIndexOf('.')) === good.slice(0, good.lastIndexOf('.'))
      )
        continue
      expect(() => tokens.verify(mutated)).toThrow(/not valid/)
    }
  })

  it('caches a verified token for at most a minute, and never past its expiry', () => {
    let now = start
    const cached = createAccessTokens(createSettings({ now: () => now }))
    const token = cached.sign(subject)
    const first = cached.verify(token)
    expect(cached.verify(token)).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
    now += 60_000
    expect(cached.verify(token)).not.toBe(first)
    now = (first.exp + 6) * 1000
    expect(() => cached.verify(token)).toThrow('The access token has expired.')
  })

  it('caches at most the configured number of tokens', () => {
    const small = createAccessTokens(createSettings({ cacheSize: 1 }))
    const [one, two] = [small.sign(subject), small.sign({ ...subject, jti: 'other' })]
    const first = small.verify(one)
    small.verify(two)
    expect(small.verify(one)).not.toBe(first)
  })

  it('includes extra claims by name only', () => {
    const named = createAccessTokens(createSettings({ extraClaims: ['https://blog.example/plan'] }))
    const token = named.sign({ ...subject, extra: { 'https://blog.example/plan': { seats: 3 } } })
    const verified = named.verify(token)
    expect(verified['https://blog.example/plan']).toEqual({ seats: 3 })
    expect(Object.isFrozen(verified['https://blog.example/plan'])).toBe(true)
    expect(() => tokens.verify(token)).toThrow('The token is not valid.')
  })
})

describe('createKeyRing', () => {
  it.each(['ES256', 'RS256'] as const)('publishes the public half of %s keys', (algorithm) => {
    const pair =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const keys = createKeyRing([secret], [{ algorithm, privateKey, kid: 'one' }])
    const [jwk] = keys.jwks.keys
    expect(jwk).toMatchObject({ kid: 'one', alg: algorithm, use: 'sig' })
    expect(jwk).not.toHaveProperty('d')
    const signer = createAccessTokens(createSettings({ keys }))
    expect(signer.verify(signer.sign(subject))).toMatchObject({ sub, sid })
  })
})
