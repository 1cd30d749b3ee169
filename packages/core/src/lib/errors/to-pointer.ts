const maxLength = 256

export function toPointer(path: readonly PropertyKey[]): string {
  let pointer = '#'
  for (const key of path) pointer += `/${escapeToken(String(key))}`
  // Keys come from the client: the response must not grow with them.
  if (pointer.length <= maxLength) return pointer
  return pointer.slice(0, maxLength).replace(/%[0-9A-F]?$/, '')
}

function escapeToken(token: string): string {
  if (/^[\w-]*$/.test(token)) return token
  const escaped = token.slice(0, maxLength).replaceAll('~', '~0').replaceAll('/', '~1')
  // encodeURIComponent throws on a lone surrogate, which the cut above can leave.
  return encodeURIComponent(Buffer.from(escaped).toString())
}
