import { isIP } from 'node:net'
import { type Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

const subnetBits = 56
const mostCached = 1000
const networks = new Map<string, string>()

/**
 * The address of the client: the one that Express' `trust proxy` yields, or whoever connected when
 * that is no address.
 * @param req - the request
 * @returns an IP address; empty when the connection is gone
 */
export function toClientAddress(req: Request): string {
  const peer = req.socket.remoteAddress ?? ''
  // Without the header `req.ip` is the peer, whatever is trusted.
  if (req.headers['x-forwarded-for'] === undefined) return peer
  const address = req.ip ?? ''
  return isIP(address) === 0 ? peer : address
}

/**
 * The client of a request for limits: its address, IPv6 by the /56, because a household gets at
 * least that much.
 * @param req - the request
 * @returns the key
 */
export function toClientKey(req: Request): string {
  return toNetwork(toClientAddress(req))
}

/**
 * Groups an address: IPv4 by itself, also when mapped into IPv6; IPv6 by its /56.
 * @param address - an IP address
 * @returns the key
 */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address
  let network = networks.get(address)
  if (network === undefined) {
    network = ipKeyGenerator(address, subnetBits)
    if (networks.size >= mostCached) networks.clear()
    networks.set(address, network)
  }
  return network
}
