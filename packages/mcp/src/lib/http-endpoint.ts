import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ApiError, type ApiRequest, type Authenticator } from '@create-api/core'
import { type Stage } from '@create-api/core/pipeline'
import { type Request, type Response } from 'express'
import { createMcpServer, type ToolSource } from './create-server.ts'
import { type McpSettings } from './mcp-options.ts'
import { requireTrustedPage } from './trusted-page.ts'

export interface EndpointOptions extends McpSettings {
  /** Whether pages of this computer may call it. */
  readonly allowsLocalPages: boolean
  /** Reads the JSON of a body. */
  readonly readBody: Stage
  /** The server of a request. */
  readonly toSource: (req: ApiRequest) => ToolSource
}

// Serves the streamable HTTP transport without sessions: every message has its own credentials and response, so that
// there is no session to take over and nothing to share between processes.
export function createEndpoint(
  options: EndpointOptions,
): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    requireTrustedPage(req, options)
    if (req.method !== 'POST') {
      throw new ApiError('method_not_allowed', { headers: { Allow: 'POST' } })
    }
    // Browsers send cookies for any page, so they prove nothing about the caller here.
    delete req.headers.cookie
    await authenticate(req, options)
    await options.readBody.step(req, res)
    const { body }: { body?: unknown } = req
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new ApiError('bad_request', { detail: 'The body must be one message (JSON-RPC 2.0).' })
    }
    await respond(req, res, options.toSource(req))
  }
}

async function respond(req: Request, res: Response, source: ToolSource): Promise<void> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createMcpServer(source).connect(transport)
  // Aborts what a client that has left no longer waits for.
  res.once('close', () => void transport.close())
  const { accept = '', 'content-type': type = '' } = req.headers
  const version = req.get('MCP-Protocol-Version')
  const headers = new Headers({ accept, 'content-type': type })
  if (version !== undefined) headers.set('mcp-protocol-version', version)
  const message = new globalThis.Request('http://localhost/', { method: 'POST', headers })
  const response = await transport.handleRequest(message, { parsedBody: req.body })
  const text = await response.text()
  res.status(response.status).setHeader('Cache-Control', 'no-store')
  if (text === '') res.end()
  else res.type('application/json').end(text)
}

// Loads the caller, whatever an API key may do; the operation that is called checks its own access again.
async function authenticate(req: Request, options: EndpointOptions): Promise<void> {
  const { authenticator } = req
  if (options.anonymous && !hasCredentials(req, authenticator)) return
  try {
    await authenticator?.(req)
    if (!('user' in req && req.user) && !req.apiKey) throw new ApiError('unauthenticated')
  } catch (error) {
    throw error instanceof ApiError && error.status === 401
      ? withMetadata(error, req, options)
      : error
  }
}

function hasCredentials(req: Request, authenticator: Authenticator | undefined): boolean {
  return authenticator?.hasCredentials?.(req) ?? req.headers.authorization !== undefined
}

// RFC 9728 section 5.1: the challenge says where the metadata of the resource is.
function withMetadata(error: ApiError, req: Request, options: EndpointOptions): ApiError {
  const { code, status, title, detail } = error
  const state = req.headers.authorization === undefined ? '' : ', error="invalid_token"'
  const challenge = `Bearer realm="api"${state}, resource_metadata="${toMetadataUrl(req, options)}"`
  return new ApiError(
    { code, status, title },
    { detail, headers: { 'WWW-Authenticate': challenge } },
  )
}

// RFC 9728 section 3.1: the well-known path comes before that of the resource.
export const metadataPath = '/.well-known/oauth-protected-resource'

// Below the path that the API is mounted at, if it is.
export function toResourceUrl(req: Request, { url, path }: McpSettings): string {
  // The host has been checked or is only returned to its sender.
  const origin = `${req.protocol}://${req.headers.host ?? 'localhost'}`
  return url ?? new URL(req.baseUrl + path, origin).href
}

// Where the service has the metadata, also if a proxy or another app adds a prefix to its paths.
function toMetadataUrl(req: Request, settings: McpSettings): string {
  const resource = toResourceUrl(req, settings)
  return resource.slice(0, -settings.path.length) + metadataPath + settings.path
}
