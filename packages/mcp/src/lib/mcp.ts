import { type Api, type ApiRequest } from '@create-api/core'
import { bodyParser } from '@create-api/core/pipeline'
import { type Request, type RequestHandler } from 'express'
import { callTool, type ToolResult } from './call-tool.ts'
import { chooseOperations, toRoute } from './choose-operations.ts'
import { type ToolSource } from './create-server.ts'
import { createEndpoint, metadataPath, toResourceUrl } from './http-endpoint.ts'
import { createSender, type Origin, type Send } from './in-process.ts'
import { type JsonObject, textAt } from './json.ts'
import { type McpOptions, type McpSettings, resolveOptions } from './mcp-options.ts'
import { type Caller, mayCall } from './may-call.ts'
import { readOperations } from './operations.ts'
import { createTool, type Tool, type ToolDefinition } from './tool.ts'

/** Options for {@link Mcp.call}. */
export interface CallOptions {
  /**
   * Header fields of the request: `Authorization`, and that of the organization.
   * @default {}
   */
  headers?: Readonly<Record<string, string>> | undefined
  /**
   * Aborts the call.
   * @default undefined
   */
  signal?: AbortSignal | undefined
}

/** The tools of an API. */
export interface Mcp {
  /** All tools. */
  readonly tools: readonly ToolDefinition[]
  /**
   * Lists the tools whose route can admit a caller, as `tools/list` of the endpoint does. The database must be connected.
   * @param options - who asks
   * @returns the tools
   * @throws Error for credentials that are not valid
   */
  readonly list: (options?: CallOptions) => Promise<readonly ToolDefinition[]>
  /**
   * Calls a tool in this process, through the whole pipeline of the API. The database must be connected.
   * @param name - name of the tool
   * @param values - the arguments
   * @param options - who calls
   * @returns the result
   * @throws TypeError for a name that no tool has
   */
  readonly call: (name: string, values?: JsonObject, options?: CallOptions) => Promise<ToolResult>
}

const instances = new WeakMap<Api, Mcp>()

/**
 * Serves chosen routes of an API as tools of the Model Context Protocol (revision 2025-11-25), over streamable HTTP at
 * `/mcp`. A tool is the operation of the OpenAPI document: it has its schemas, and a call passes the whole pipeline
 * with the credentials of the MCP request. Call it once, after `createApi` and before `start`.
 * @param api - the API
 * @param options - the tools, and who may reach them
 * @returns the tools
 * @throws TypeError for a route that does not exist or cannot be a tool, a route that writes outside of `tools.write`,
 * two tools with one name, and for an option that cannot work
 * @example
 * ```ts
 * mcp(api, {
 *   tools: {
 *     read: ['/api/posts', 'GET /api/users/:id'],
 *     write: ['POST /api/posts'],
 *   },
 * })
 * ```
 */
export function mcp(api: Api, options: McpOptions): Mcp {
  if (instances.has(api)) throw new TypeError('mcp() has been called for this API already.')
  const settings = resolveOptions(api, options)
  const { maxBytes, path } = settings
  const tools = createTools(api, settings)
  const send = createSender(api)
  const definitions = [...tools.values()].map(({ definition }) => definition)
  const about = { name: api.config.name, version: toVersion(api), tools: definitions }
  const call = async (name: string, values: JsonObject, origin: Origin): Promise<ToolResult> => {
    const tool = tools.get(name)
    if (!tool) throw new TypeError(`There is no tool '${name}'.`)
    return callTool(tool, values, { send, origin, maxBytes })
  }
  const endpoint = {
    ...settings,
    allowsLocalPages: api.config.environment !== 'production',
    // The operation applies the rules of the API to the names of members.
    readBody: bodyParser({ ...api.config.body, dollarNames: true }),
    toSource: (req: ApiRequest): ToolSource => ({
      ...about,
      list: () => listTools(api, tools, req),
      call: (name, values, { signal }) => call(name, values, { ...toOrigin(req), signal }),
    }),
  }
  api.app.all(path, checked(createEndpoint(endpoint)))
  const describe: RequestHandler = (req, res) => {
    res.setHeader('Cache-Control', 'no-store')
    res.json(describeResource(toResourceUrl(req, settings), api, settings))
  }
  api.app.get(metadataPath + path, checked(describe))
  const instance: Mcp = {
    tools: definitions,
    list: async (caller = {}) =>
      caller.headers && Object.keys(caller.headers).length > 0
        ? requestTools(send, path, toOwnOrigin(caller))
        : listTools(api, tools, {}),
    call: async (name, values = {}, caller = {}) => call(name, values, toOwnOrigin(caller)),
  }
  instances.set(api, instance)
  return instance
}

/**
 * Returns the tools that `mcp` has given an API.
 * @param api - the API
 * @returns the tools; undefined if `mcp` was not called
 */
export function getMcp(api: Api): Mcp | undefined {
  return instances.get(api)
}

// For `findAccessFaults`: a call has the access of its operation, and the metadata are public.
function checked(handler: RequestHandler): RequestHandler {
  return Object.assign(handler, { [Symbol.for('@create-api/core/checked')]: true })
}

function createTools(api: Api, { tools: choices, maxItems }: McpSettings): Map<string, Tool> {
  if (!api.openapi) {
    throw new TypeError(
      'mcp() reads the OpenAPI document, which is off: createApi({ openapi: { serve: false } }) has one that is not served.',
    )
  }
  const { all, schemas } = readOperations(api.openapi)
  const tools = new Map<string, Tool>()
  for (const chosen of chooseOperations(choices, all)) {
    const tool = createTool(chosen, { schemas, maxItems })
    const { name } = tool.definition
    const other = tools.get(name)
    if (other) {
      const routes = [other.operation, tool.operation].map(toRoute)
      throw new TypeError(
        `${routes.join(' and ')} would both be the tool '${name}'. Name one: { route: '${String(routes[1])}', name: '…' }.`,
      )
    }
    tools.set(name, tool)
  }
  return tools
}

// Those whose route may admit the caller.
function listTools(
  { routes }: Api,
  tools: ReadonlyMap<string, Tool>,
  caller: Caller,
): readonly ToolDefinition[] {
  const accesses = new Map(
    routes.map(({ method, path, route }) => [`${method} ${path}`, route.access]),
  )
  return [...tools.values()]
    .filter(({ operation }) => mayCall(accesses.get(toRoute(operation)) ?? 'public', caller))
    .map(({ definition }) => definition)
}

function toVersion({ openapi }: Api): string {
  return textAt(openapi?.info ?? {}, 'version') ?? '1.0.0'
}

// The endpoint loads the caller of the credentials.
async function requestTools(
  send: Send,
  path: string,
  origin: Origin,
): Promise<readonly ToolDefinition[]> {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { status, text = '' } = await send(
    { method: 'POST', path, headers, body },
    origin,
    Infinity,
  )
  if (status !== 200) throw new Error(`The tools cannot be listed: ${text}`)
  const message: { readonly result: { readonly tools: readonly ToolDefinition[] } } =
    JSON.parse(text)
  return message.result.tools
}

// Of a call in this process.
function toOwnOrigin({ headers = {}, signal = new AbortController().signal }: CallOptions): Origin {
  const lower = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value])
  const connection = { remoteAddress: '127.0.0.1', encrypted: false }
  const all = { host: 'localhost', ...Object.fromEntries(lower) }
  return { headers: all, connection, signal, isCounted: false }
}

function toOrigin(req: Request): Omit<Origin, 'signal'> {
  const { remoteAddress } = req.socket
  return {
    headers: { ...req.headers, 'x-request-id': req.id },
    connection: { remoteAddress, encrypted: 'encrypted' in req.socket },
    // Only requests that were counted have the fields of a limit.
    isCounted: req.res?.getHeader('RateLimit') !== undefined,
  }
}

// RFC 9728 section 2.
function describeResource(
  resource: string,
  api: Api,
  { authorizationServers }: McpSettings,
): object {
  return {
    resource,
    resource_name: api.config.name,
    ...(authorizationServers.length > 0 && { authorization_servers: authorizationServers }),
    bearer_methods_supported: ['header'],
  }
}
