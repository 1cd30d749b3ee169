import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { createHs256Verifier } from './verify-hs256.ts'

const second = 1_800_000_000
const clockTolerance = 5
const keys = new Map(['one', 'two'].map((kid) => [kid, createSecretKey(randomBytes(32))]))
const now = (): number => second * 1000 + 400

const claims = { sub: 'ada', iat: second - 10, exp: second + 900 }

// A token that is signed by its `kid`, whatever its parts are; texts and bytes are taken as they are.
function sign(payload: unknown, header: unknown = {}): string {
  const { kid = 'one', ...fields } = Object(header)
  const head = isRaw(header) ? header : { alg: 'HS256', typ: 'at+jwt', kid, ...fields }
  return signText(`${encode(head)}.${encode(payload)}`, kid)
}

function signText(text: string, kid = 'one'): string {
  const key = keys.get(kid) ?? randomBytes(32)
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

function isRaw(part: unknown): part is string | Buffer {
  return typeof part === 'string' || Buffer.isBuffer(part)
}

function encode(part: unknown): string {
  return Buffer.from(isRaw(part) ? part : JSON.stringify(part)).toString('base64url')
}

// What jsonwebtoken returns or throws for the key that the header names.
function expected(token: string): unknown {
  try {
    const header: unknown = JSON.parse(
      Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(),
    )
    const key = keys.get(String(Object(header).kid))
    if (!key) return 'invalid_token'
    const verified = jsonwebtoken.verify(token, key, {
      algorithms: ['HS256'],
      clockTolerance,
      clockTimestamp: second,
      complete: true,
    })
    // A text or a list has no claims; the caller of jsonwebtoken would have to reject it.
    const { payload } = verified
    if (typeof payload !== 'object' || Array.isArray(payload)) return 'invalid_token'
    // jsonwebtoken reads the header as Latin-1; it is UTF-8 (RFC 7515 section 3).
    return { header, payload }
  } catch (error) {
    return error instanceof jsonwebtoken.TokenExpiredError ? 'token_expired' : 'invalid_token'
  }
}

function actual(
  token: string,
  verify = createHs256Verifier({ keys, clockTolerance, now }),
): unknown {
  try {
    return verify(token)
  } catch (error) {
    return Reflect.get(Object(error), 'code')
  }
}

const token = sign(claims)
const [head = '', body = '', signature = ''] = token.split('.')
const last = signature.slice(-1)
// The last character of a signature has two bits that decode to nothing.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const sameBytes = alphabet[alphabet.indexOf(last) ^ 1]

const tokens: Record<string, string> = {
  'a valid token': token,
  'a token of another key': sign(claims, { kid: 'two' }),
  'a token with more header fields': sign(claims, { cty: 'x', crit: ['b64'], b64: false }),
  'an unknown kid': sign(claims, { kid: 'three' }),
  'the kid of another key': `${encode({ alg: 'HS256', kid: 'two' })}.${body}.${signature}`,
  'a kid that is a number': sign(claims, { kid: 1 }),
  'a kid of the prototype': sign(claims, { kid: '__proto__' }),
  'alg none': sign(claims, { alg: 'none' }),
  'alg none without a signature': `${encode({ alg: 'none', kid: 'one' })}.${body}.`,
  'alg in other letters': sign(claims, { alg: 'hs256' }),
  'alg HS512': sign(claims, { alg: 'HS512' }),
  'alg RS256': sign(claims, { alg: 'RS256' }),
  'a list as alg': sign(claims, { alg: ['HS256'] }),
  'no alg': sign(claims, { alg: undefined }),
  'no signature': `${head}.${body}.`,
  'no dot for the signature': `${head}.${body}`,
  'a fourth part': `${token}.x`,
  'an empty text': '',
  'two dots': '..',
  'no header': signText(`.${body}`),
  'no payload': signText(`${head}.`),
  'a shorter signature': token.slice(0, -1),
  'a longer signature': `${token}A`,
  'a padded signature': `${token}=`,
  'another signature of the same bytes': `${head}.${body}.${signature.slice(0, -1)}${sameBytes}`,
  'another signature': `${head}.${body}.${randomBytes(32).toString('base64url')}`,
  'a signature in base64': sign({ ...claims, n: 7 })
    .replaceAll('-', '+')
    .replaceAll('_', '/'),
  'a signature in hexadecimal': `${head}.${body}.${Buffer.from(signature, 'base64url').toString('hex')}`,
  'a space before': ` ${token}`,
  'a line break behind': `${token}\n`,
  'a NUL behind': `${token}\0`,
  'letters beyond ASCII': `${head}.${body}.${signature.slice(0, -1)}é`,
  'a padded payload': signText(`${head}.${body}==`),
  'a header that is not JSON': sign(claims, '{'),
  'a header that is null': sign(claims, 'null'),
  'a header that is a text': sign(claims, '"HS256"'),
  'a header that is a list': sign(claims, '["HS256"]'),
  'a header with its fields twice': sign(claims, '{"alg":"none","kid":"one","alg":"HS256"}'),
  'a header with bytes that are not UTF-8': sign(
    claims,
    Buffer.from('{"alg":"HS256","kid":"one","x":"\xff"}', 'latin1'),
  ),
  'a payload that is not JSON': sign('{'),
  'a payload that is null': sign('null'),
  'a payload that is a text': sign('"text"'),
  'a payload that is a number': sign('1'),
  'a payload that is a list': sign('[1]'),
  'a payload with bytes that are not UTF-8': sign(Buffer.from('{"sub":"\xff"}', 'latin1')),
  'a payload with a byte order mark': sign(`\uFEFF${JSON.stringify(claims)}`),
  'a payload with exp twice': sign(`{"exp":1,"exp":${second + 5}}`),
  'no exp': sign({ sub: 'ada' }),
  'exp a second before the tolerance ends': sign({ exp: second - clockTolerance + 1 }),
  'exp when the tolerance ends': sign({ exp: second - clockTolerance }),
  'exp long ago': sign({ exp: 1 }),
  'exp 0': sign({ exp: 0 }),
  'exp as a text': sign({ exp: String(second + 9) }),
  'exp null': sign({ exp: null }),
  'exp that is a fraction': sign({ exp: second + 0.5 }),
  'exp beyond all numbers': sign('{"exp":1e999}'),
  'nbf in the past': sign({ ...claims, nbf: second - 1 }),
  'nbf at the end of the tolerance': sign({ ...claims, nbf: second + clockTolerance }),
  'nbf in the future': sign({ ...claims, nbf: second + clockTolerance + 1 }),
  'nbf in the future of an expired token': sign({ exp: 1, nbf: second + 60 }),
  'nbf as a text': sign({ ...claims, nbf: '1' }),
  'nbf null': sign({ ...claims, nbf: null }),
  'an expired token with another signature': `${sign({ exp: 1 }).slice(0, -43)}${signature}`,
}

describe('createHs256Verifier', () => {
  it.each(Object.entries(tokens))('agrees with jsonwebtoken on %s', (_name, text) => {
    expect(actual(text)).toEqual(expected(text))
  })

  it('accepts tokens, also of several keys in turn', () => {
    const verify = createHs256Verifier({ keys, clockTolerance, now })
    for (const kid of ['one', 'two', 'one', 'one', 'two']) {
      const verified = { header: { alg: 'HS256', typ: 'at+jwt', kid }, payload: claims }
      expect(actual(sign(claims, { kid }), verify)).toEqual(verified)
    }
  })

  it('does not take the key of the token before', () => {
    const verify = createHs256Verifier({ keys, clockTolerance, now })
    verify(token)
    const forged = sign(claims, { kid: 'two' }).split('.')
    expect(actual([head, forged[1], forged[2]].join('.'), verify)).toBe('invalid_token')
    expect(actual([forged[0], body, signature].join('.'), verify)).toBe('invalid_token')
  })

  it('agrees with jsonwebtoken on 20,000 changed tokens', () => {
    const verify = createHs256Verifier({ keys, clockTolerance, now })
    const valid = Object.values(tokens)
    const random = createRandom(21)
    let accepted = 0
    for (let round = 0; round < 20_000; round++) {
      const changed = change(valid[random(valid.length)] ?? token, random)
      const wanted = expected(changed)
      if (typeof wanted === 'object') accepted++
      expect({ changed, verified: actual(changed, verify) }).toEqual({ changed, verified: wanted })
    }
    expect(accepted).toBeGreaterThan(100)
  })
})

type Random = (below: number) => number

// A linear congruential generator (Numerical Recipes), so that a failure can be repeated.
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

// One change of the text, or of the JSON under a new signature.
function change(text: string, random: Random): string {
  const place = random(text.length + 1)
  const character = String.fromCodePoint(random(random(4) === 0 ? 300 : 128))
  const parts = text.split('.')
  switch (random(5)) {
    case 0:
      return text.slice(0, place) + character + text.slice(place + 1)
    case 1:
      return text.slice(0, place) + text.slice(place + 1)
    case 2:
      return text.slice(0, place) + character + text.slice(place)
    case 3:
      return [parts[random(3)], parts[random(3)], parts[random(3)]].join('.')
    default: {
      const json = Buffer.from(parts[1] ?? '', 'base64url').toString()
      const at = random(json.length + 1)
      return sign(json.slice(0, at) + character + json.slice(at + random(2)))
    }
  }
}
