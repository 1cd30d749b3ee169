import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../errors/api-error.ts'
import { isRecord } from '../../json/plain.ts'

export interface Hs256Settings {
  /** By `kid`. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** Maximum difference between the clocks of two hosts, in seconds. */
  readonly clockTolerance: number
  readonly now: () => number
}

interface Header {
  readonly content: unknown
  readonly key: KeyObject
}

// The compact form of a signed token (RFC 7515 section 7.1).
const form = /^[\w-]+\.[\w-]+\.[\w-]+$/

// Creates a function that verifies signature and times of a token as `jsonwebtoken` does with the algorithm
// pinned to HS256 (RFC 8725 section 3.1), and takes a third of its time. It throws ApiError `invalid_token` or
// `token_expired`, and leaves all other claims to the caller.
export function createHs256Verifier(settings: Hs256Settings): (token: string) => unknown {
  // All tokens of a key have the same header.
  let lastText = ''
  let lastHeader: Header | undefined

  return (token) => {
    if (!form.test(token)) throw new ApiError('invalid_token')
    const first = token.indexOf('.')
    const last = token.lastIndexOf('.')
    const text = token.slice(0, first)
    const header = lastHeader && text === lastText ? lastHeader : readHeader(text, settings.keys)
    const signature = createHmac('sha256', header.key).update(token.slice(0, last))
    requireSame(token.slice(last + 1), signature.digest('base64url'))
    lastText = text
    lastHeader = header
    const payload = parse(token.slice(first + 1, last))
    requireTimes(payload, settings)
    return { header: header.content, payload }
  }
}

function readHeader(text: string, keys: Hs256Settings['keys']): Header {
  const content = parse(text)
  if (!isRecord(content) || content['alg'] !== 'HS256') throw new ApiError('invalid_token')
  const { kid } = content
  const key = typeof kid === 'string' ? keys.get(kid) : undefined
  if (!key) throw new ApiError('invalid_token')
  return { content, key }
}

function parse(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    throw new ApiError('invalid_token')
  }
}

// Compares the texts: several texts decode to the same bytes.
function requireSame(given: string, expected: string): void {
  const isSame =
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  if (!isSame) throw new ApiError('invalid_token')
}

function requireTimes(payload: unknown, { now, clockTolerance }: Hs256Settings): void {
  if (!isRecord(payload)) throw new ApiError('invalid_token')
  const second = Math.floor(now() / 1000)
  const { nbf, exp } = payload
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= second + clockTolerance)) {
    throw new ApiError('invalid_token')
  }
  if (exp === undefined) return
  if (typeof exp !== 'number') throw new ApiError('invalid_token')
  if (second >= exp + clockTolerance) throw new ApiError('token_expired')
}
