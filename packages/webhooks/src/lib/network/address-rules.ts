import { BlockList, isIP } from 'node:net'

/** Decides which addresses requests may be sent to. */
export type AddressRules = (address: string) => boolean

// IPv4 addresses that are not globally reachable (IANA special-purpose registry, RFC 6890), and multicast.
const refusedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

// Global unicast. Everything else is refused: loopback, link-local, unique local, multicast, IPv4-mapped, NAT64.
const globalIpv6 = ['2000::/3']

// What is special in it: protocol assignments with Teredo, documentation, and 6to4, which contains an IPv4 address.
const refusedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

// `allowed` are networks that are admitted although they are not public. Throws TypeError for one that is not valid.
export function createAddressRules(allowed: readonly string[] = []): AddressRules {
  const isAllowed = createMatcher(allowed)
  return (address) => isAllowed(address) || isPublic(address)
}

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !isRefusedIpv4(address)
  return isGlobalIpv6(address) && !isRefusedIpv6(address)
}

const isRefusedIpv4 = createMatcher(refusedIpv4)
const isGlobalIpv6 = createMatcher(globalIpv6)
const isRefusedIpv6 = createMatcher(refusedIpv6)

// One list for each family: Node compares an IPv4 address with rules for IPv6, too, and the other way round.
function createMatcher(networks: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const { address, family, prefix } = parseNetwork(network)
    lists[family].addSubnet(address, prefix, family)
  }
  return (address) => {
    // An address with a zone is one of a link.
    const version = address.includes('%') ? 0 : isIP(address)
    if (version === 0) return false
    const family = version === 4 ? 'ipv4' : 'ipv6'
    return lists[family].check(address, family)
  }
}

interface Network {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

function parseNetwork(network: string): Network {
  const [, address = '', digits = ''] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(network) ?? []
  const version = isIP(address)
  const prefix = Number(digits)
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) {
    throw new TypeError(`allowedNetworks must be networks such as 127.0.0.0/8, not '${network}'.`)
  }
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' }
}
