const longestPointer = 256

/**
 * Writes a path as a JSON Pointer in a URI fragment (RFC 6901 sections 3 and 6).
 * @param path - keys and indexes from the root to the value
 * @returns `#/tags/0`; `#` for the root
 */
export function toPointer(path: readonly PropertyKey[]): string {
  let pointer = '#'
  for (const key of path) pointer += `/${escapeToken(String(key))}`
  // Keys are the client's text: an answer must not grow with them.
  if (pointer.length <= longestPointer) return pointer
  return pointer.slice(0, longestPointer).replace(/%[0-9A-F]?$/, '')
}

function escapeToken(token: string): string {
  if (/^[\w-]*$/.test(token)) return token
  const escaped = token.slice(0, longestPointer).replaceAll('~', '~0').replaceAll('/', '~1')
  // encodeURIComponent throws on a lone surrogate; cutting the text above can make one.
  return encodeURIComponent(Buffer.from(escaped).toString())
}
