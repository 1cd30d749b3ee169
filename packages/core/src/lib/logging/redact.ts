const parts =
  'token|secret|passw|pwd|passphrase|api[-_]?key|auth|credential|session|signature|jwt|otp'
const words = 'key|code|sig|sid|state'
const secretName = new RegExp(`${parts}|^(?:${words})$`, 'i')
// Matches every query with a secret name, and some others: an encoded name can be anything.
const secretQuery = new RegExp(`${parts}|[?&](?:${words})=|%`, 'i')
// Credentials in URLs, access tokens, refresh tokens, and API keys behind their prefix.
const secretText =
  /(:\/\/)[^/@\s]*@|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\brt1\.[\w.-]+|(?<=_)[\dA-Za-z]{45,}/g
const keyText = /_[\dA-Za-z]{45}/
const pairText = /(?<=[?&])[^\s?&="]+=[^\s&#"]+/g
const hidden = '[redacted]'

// Redacts query parameters named like secrets, and tokens anywhere.
export function redactUrl(url: string): string {
  const start = url.indexOf('?')
  // Most queries have none, and this test is cheaper than splitting the query.
  if (start === -1 || !secretQuery.test(url)) return redactTokens(url)
  const pairs = url.slice(start + 1).split('&')
  return redactTokens(`${url.slice(0, start)}?${pairs.map(redactPair).join('&')}`)
}

// Redacts credentials in URLs, query parameters named like secrets, and tokens.
export function redactText(text: string): string {
  return redactTokens(text.includes('?') ? text.replace(pairText, redactPair) : text)
}

function redactTokens(text: string): string {
  // Most texts have none, and this test is cheaper than the pattern.
  const mayHaveToken = text.includes('://') || text.includes('eyJ') || text.includes('rt1.')
  if (!mayHaveToken && !keyText.test(text)) return text
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

// `%74oken` is `token`; a name that cannot be decoded is checked as it is.
function decode(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
