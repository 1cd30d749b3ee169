const parts =
  'token|secret|passw|pwd|passphrase|api[-_]?key|auth|credential|session|signature|jwt|otp'
const words = 'key|code|sig|sid|state'
const secretName = new RegExp(`${parts}|^(?:${words})$`, 'i')
// What a query with such a name matches, and others do, too: an encoded name may be any.
const secretQuery = new RegExp(`${parts}|[?&](?:${words})=|%`, 'i')
const secretText = /(:\/\/)[^/@\s]*@|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\brt1\.[\w.-]+/g
const pairText = /(?<=[?&])[^\s?&="]+=[^\s&#"]+/g
const hidden = '[redacted]'

/**
 * Hides what a URL carries in query parameters that are named like secrets, and tokens anywhere.
 * @param url - path and query of a request
 * @returns the URL for a log line
 */
export function redactUrl(url: string): string {
  const start = url.indexOf('?')
  // Nearly every query holds none, and looking for them costs less than taking it apart.
  if (start === -1 || !secretQuery.test(url)) return redactTokens(url)
  const pairs = url.slice(start + 1).split('&')
  return redactTokens(`${url.slice(0, start)}?${pairs.map(redactPair).join('&')}`)
}

/**
 * Hides what a text such as the message of an error holds of secrets: user and password of
 * addresses, query parameters that are named like secrets, and tokens.
 * @param text - any text
 * @returns the text for a log line
 */
export function redactText(text: string): string {
  return redactTokens(text.includes('?') ? text.replace(pairText, redactPair) : text)
}

function redactTokens(text: string): string {
  // Nearly every text holds none, and looking for them costs less than the pattern.
  if (!text.includes('://') && !text.includes('eyJ') && !text.includes('rt1.')) return text
  return text.replace(secretText, (_match, scheme?: string) =>
    scheme === undefined ? hidden : `${scheme}${hidden}@`,
  )
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1) return pair
  const name = pair.slice(0, equals)
  return secretName.test(decode(name)) ? `${name}=${hidden}` : pair
}

// `%74oken` is `token`; what cannot be decoded is judged as it stands.
function decode(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
