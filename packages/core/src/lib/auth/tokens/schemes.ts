import { type IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../errors/api-error.ts'

// A token of RFC 9110 section 5.6.2.
export const schemeWord = /^[\w!#$%&'*+.^`|~-]+$/

export function requireSchemes(words: unknown): void {
  const isList = Array.isArray(words) && words.length > 0
  if (isList && words.every((word) => typeof word === 'string' && schemeWord.test(word))) return
  throw new TypeError("must be a list of words without spaces, such as ['Bearer', 'Token']")
}

export type Schemes = readonly [string, ...string[]]

export function toSchemes({
  scheme,
  schemes,
}: {
  readonly scheme: string
  readonly schemes?: readonly string[] | undefined
}): Schemes {
  const [first, ...others] = schemes ?? []
  return first === undefined ? [scheme] : [first, ...others]
}

/** A request with credentials: that of a route, or that of an upgrade to a WebSocket. */
export interface TokenRequest {
  /** Its headers. */
  readonly headers: Pick<IncomingHttpHeaders, 'authorization'>
}

// The token after one of the words in `Authorization` (RFC 6750 section 2.1). Throws ApiError `unauthenticated`.
export function createTokenReader(schemes: Schemes): (req: TokenRequest) => string {
  const words = schemes.map((word) => word.replaceAll(/\W/g, String.raw`\$&`)).join('|')
  const pattern = new RegExp(`^(?:${words}) +([^ ]+) *$`, 'i')
  return ({ headers: { authorization = '' } }) => {
    const token = pattern.exec(authorization)?.[1]
    if (token === undefined) throw new ApiError('unauthenticated')
    return token
  }
}
