import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { type ToolResult } from './call-tool.ts'
import { type JsonObject } from './json.ts'
import { type ToolDefinition } from './tool.ts'

/** What a server of the protocol serves. */
export interface ToolSource {
  /** Name of the server. */
  readonly name: string
  /** Version of the server. */
  readonly version: string
  /** The tools that can be called. */
  readonly tools: readonly ToolDefinition[]
  /**
   * Returns the tools that `tools/list` shows.
   * @default () => tools
   */
  readonly list?: (() => readonly ToolDefinition[]) | undefined
  /**
   * Receives, once, a function to call when the tools have changed: it notifies the client, which then lists them again.
   * @default undefined, the tools do not change
   */
  readonly watch?: ((notify: () => void) => void) | undefined
  /**
   * Calls a tool.
   * @param name - name of the tool
   * @param values - the arguments
   * @param options - its `signal` is aborted when the client no longer waits
   * @returns the result
   */
  readonly call: (
    name: string,
    values: JsonObject,
    options: { readonly signal: AbortSignal },
  ) => Promise<ToolResult>
}

// A server of the protocol for one connection, or for one message of the stateless HTTP transport.
export function createMcpServer(source: ToolSource): Server {
  const { name, version, call } = source
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: source.watch ? { listChanged: true } : {} },
      jsonSchemaValidator: noValidator,
    },
  )
  // A client that has left needs no notice.
  source.watch?.(() => void server.sendToolListChanged().catch(() => undefined))
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...(source.list?.() ?? source.tools)],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (!source.tools.some((tool) => tool.name === params.name)) {
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no tool '${params.name.slice(0, 100)}'.`,
      )
    }
    return { ...(await call(params.name, params.arguments ?? {}, { signal })) }
  })
  return server
}

// Only what clients return to a server that requests it is validated, and this one requests nothing; creating the default
// takes longer than a call.
const noValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('This server requests nothing of its clients.')
  },
}
