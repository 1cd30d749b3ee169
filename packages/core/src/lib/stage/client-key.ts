import { isIP } from 'node:net'
import { type Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

const subnetBits = 56
const maxCached = 1000
const networks = new Map<string, string>()

// The IP address of the client: the one that Express' `trust proxy` yields, or the peer of the connection
// if that is not an address. Empty if the connection is closed.
export function toClientAddress(req: Request): string {
  const peer = req.socket.remoteAddress ?? ''
  // Without the header, `req.ip` is the peer.
  if (req.headers['x-forwarded-for'] === undefined) return peer
  const address = req.ip ?? ''
  return isIP(address) === 0 ? peer : address
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
