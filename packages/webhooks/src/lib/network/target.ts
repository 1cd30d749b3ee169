import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type AddressRules } from './address-rules.ts'

/**
 * Finds the addresses of a host.
 * @param host - the host name
 * @returns its IPv4 and IPv6 addresses
 */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface TargetRules {
  readonly isAllowed: AddressRules
  readonly allowHttp: boolean
  readonly resolve: Resolve
}

export interface Target {
  readonly url: URL
  /** All addresses of the host, each of which is allowed. */
  readonly addresses: readonly string[]
}

/** A URL that no request is sent to. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget'
}

export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

// What can be seen in a URL without resolving its name. Throws RefusedTarget.
export function parseTarget(
  text: string,
  { allowHttp, isAllowed }: Omit<TargetRules, 'resolve'>,
): URL {
  // URL removes line breaks and tabs, and controls around it: another text would be stored than the URL that is sent to.
  if (/[\p{Cc}\s]/u.test(text) || !URL.canParse(text)) throw new RefusedTarget('must be a URL')
  // It converts decimal, octal and hexadecimal IPv4 addresses to the usual form.
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new RefusedTarget(`must begin with https://${allowHttp ? ' or http://' : ''}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedTarget('must not contain a user name or a password')
  }
  const host = toHost(url)
  if (isIP(host) !== 0 && !isAllowed(host)) throw new RefusedTarget(notPublic)
  return url
}

// Throws RefusedTarget if one of the addresses of the host is not allowed, and the error of the resolver.
export async function resolveTarget(text: string, rules: TargetRules): Promise<Target> {
  const url = parseTarget(text, rules)
  const host = toHost(url)
  const addresses = isIP(host) === 0 ? await rules.resolve(host) : [host]
  if (addresses.length === 0 || !addresses.every((address) => rules.isAllowed(address))) {
    throw new RefusedTarget(notPublic)
  }
  return { url, addresses }
}

export const notPublic = 'must be the URL of a host on the public Internet'

function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
