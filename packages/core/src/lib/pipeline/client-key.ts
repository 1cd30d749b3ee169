import { isIP, isIPv4 } from 'node:net'
import { type Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

const mappedPrefix = '::ffff:'
const subnetBits = 56
const mostCached = 1000
const subnets = new Map<string, string>()

/**
 * The client of a request for limits: the address that Express' `trust proxy` yields, IPv6 by its
 * /56, because a household gets at least that much. What is no address counts for whoever
 * connected.
 * @param req - the request
 * @returns the key
 */
export function toClientKey(req: Request): string {
  const peer = req.socket.remoteAddress ?? ''
  // Without the header `req.ip` is the peer, whatever is trusted.
  if (req.headers['x-forwarded-for'] === undefined) return toNetwork(peer)
  const address = req.ip ?? ''
  return toNetwork(isIP(address) === 0 ? peer : address)
}

/**
 * Groups an address: IPv4 by itself, also when mapped into IPv6; IPv6 by its /56.
 * @param address - an IP address
 * @returns the key
 */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address
  if (address.startsWith(mappedPrefix)) {
    const mapped = address.slice(mappedPrefix.length)
    if (isIPv4(mapped)) return mapped
  }
  let subnet = subnets.get(address)
  if (subnet === undefined) {
    subnet = ipKeyGenerator(address, subnetBits)
    if (subnets.size >= mostCached) subnets.clear()
    subnets.set(address, subnet)
  }
  return subnet
}
