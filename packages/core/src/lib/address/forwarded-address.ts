import { isIP } from 'node:net'

const withPort = /^\[([\da-f:.]+)\](?::\d{1,5})?$|^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/i

// The IP address in an entry of X-Forwarded-For. Some proxies add the port, as in `203.0.113.7:50007` and
// `[2001:db8::1]:443`, or quotes (RFC 7239 section 6). Undefined if it is not an address.
export function parseForwardedAddress(entry: string): string | undefined {
  if (isIP(entry) !== 0) return entry
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, ipv4] = withPort.exec(text) ?? []
  const address = bracketed ?? ipv4 ?? text
  return isIP(address) === 0 ? undefined : address
}

type Trust = (address: string, hop: number) => boolean

// Whether a proxy is trusted does not depend on the port that the next one has added to its address.
export function ignorePorts(trust: Trust): Trust {
  return (address, hop) => trust(parseForwardedAddress(address) ?? address, hop)
}
