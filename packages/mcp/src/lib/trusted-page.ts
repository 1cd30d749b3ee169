import { isIP } from 'node:net'
import { ApiError } from '@create-api/core'
import { type Request } from 'express'
import { type McpSettings } from './mcp-options.ts'

export interface PageOptions extends Pick<McpSettings, 'url' | 'hosts' | 'origins'> {
  /** Whether pages of this computer may call the endpoint. */
  readonly allowsLocalPages: boolean
}

// Throws a 403 for requests that a browser sends for a page which may not call the endpoint.
export function requireTrustedPage(req: Request, options: PageOptions): void {
  const host = toHostname(`http://${req.headers.host ?? ''}`)
  if (!isTrustedHost(host, options)) {
    throw new ApiError('forbidden', {
      detail: `Host '${String(host)}' is not that of the MCP endpoint. State it: mcp(api, { url: 'https://…', hosts: ['${String(host)}'] }).`,
    })
  }
  const { origin } = req.headers
  if (origin === undefined || isTrustedOrigin(origin, options)) return
  throw new ApiError('forbidden', {
    detail:
      'Web pages of this origin may not call the MCP endpoint. List it in `origins` of mcp().',
  })
}

// DNS rebinding makes a browser send the requests of a page to this computer, with the name of the page as `Host`. It
// cannot do that with an address.
function isTrustedHost(host: string | undefined, { hosts, url }: PageOptions): boolean {
  if (host === undefined) return false
  return isLocal(host) || isAddress(host) || hosts.includes(host) || host === toHostname(url ?? '')
}

function isTrustedOrigin(origin: string, { origins, url, allowsLocalPages }: PageOptions): boolean {
  if (origins.includes(origin)) return true
  if (url !== undefined && new URL(url).origin === origin) return true
  return allowsLocalPages && isLocal(toHostname(origin) ?? '')
}

function toHostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

function isLocal(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host)
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
}
