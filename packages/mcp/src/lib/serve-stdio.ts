import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type Readable, type Writable } from 'node:stream'
import { createMcpServer, type ToolSource } from './create-server.ts'

/** Streams of {@link serveStdio}. */
export interface StdioStreams {
  /**
   * Messages of the client.
   * @default process.stdin
   */
  stdin?: Readable | undefined
  /**
   * Messages of the server. Nothing else may be written to it.
   * @default process.stdout
   */
  stdout?: Writable | undefined
}

/**
 * Serves tools over standard input and output, to the program that has started this process.
 * @param source - the tools
 * @param streams - other streams
 * @returns when the client has closed its end
 * @example
 * ```ts
 * const { tools, call } = mcp(api, { tools: { read: ['/api/posts'] } })
 * const headers = { Authorization: `Bearer ${process.env['API_TOKEN']}` }
 *
 * await withDatabase(api, () =>
 *   serveStdio({
 *     name: 'blog',
 *     version: '1.0.0',
 *     tools,
 *     call: (name, values, options) => call(name, values, { ...options, headers }),
 *   }),
 * )
 * ```
 */
export async function serveStdio(source: ToolSource, streams: StdioStreams = {}): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout } = streams
  const server = createMcpServer(source)
  const closed = new Promise<void>((resolve) => {
    // What is not a message of reasonable size closes the connection.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an event target
    server.onclose = resolve
    stdin.once('end', resolve).once('close', resolve)
  })
  await server.connect(new StdioServerTransport(stdin, stdout))
  await closed
  await server.close()
}
