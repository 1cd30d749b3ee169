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
