import { type Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import { parseForwardedAddress } from './forwarded-address.ts'

const subnetBits = 56
const maxCached = 1000
const networks = new Map<string, string>()

// The IP address of the client: the one that Express' `trust proxy` yields, without the port that a proxy may have
// added, or the peer of the connection if that is not an address. Empty if the connection is closed.
export function toClientAddress(req: Request): string {
  const peer = req.socket.remoteAddress ?? ''
  // Without the header, `req.ip` is the peer.
  if (req.headers['x-forwarded-for'] === undefined) return peer
  const text = req.ip ?? ''
  const address = parseForwardedAddress(text)
  if (address === undefined && text !== '') warnOfUnreadable(text)
  return address ?? peer
}

let hasWarned = false

function warnOfUnreadable(text: string): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    `The proxy sends X-Forwarded-For with ${JSON.stringify(text.slice(0, 100))}, which is not an IP address. Clients behind it share the limits of one address. Let the proxy send addresses.`,
    'CreateApiWarning',
  )
}

// Identifies the client in limits: its IPv4 address or IPv6 network.
export function toClientKey(req: Request): string {
  return toNetwork(toClientAddress(req))
}

// The /56 network of an IPv6 address, because one household has at least that many; IPv4 addresses, also
// mapped ones, unchanged.
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address
  let network = networks.get(address)
  if (network === undefined) {
    network = ipKeyGenerator(address, subnetBits)
    if (networks.size >= maxCached) networks.clear()
    networks.set(address, network)
  }
  return network
}
