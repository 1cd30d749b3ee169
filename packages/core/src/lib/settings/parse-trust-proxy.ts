import { isIP } from 'node:net'

const named = new Set(['loopback', 'linklocal', 'uniquelocal'])

// Not `true`: then anyone could name any address and no limit would hold.
export function parseTrustProxy(value: unknown): false | number | string[] {
  if (value === false || value === 'false' || value === 'off') return false
  if (/^\d{1,2}$/.test(String(value))) return Number(value) === 0 ? false : Number(value)
  const texts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const networks = texts.map((text) => String(text).trim())
  if (networks.length > 0 && networks.every(isNetwork)) return networks
  throw new TypeError(
    'must be a number of proxies such as 1, or their networks such as 10.0.0.0/8. To believe every client would switch the rate limits off.',
  )
}

function isNetwork(text: string): boolean {
  if (named.has(text)) return true
  const [address = '', prefix, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  if (prefix === undefined) return true
  // A prefix of 0 is everyone.
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}
