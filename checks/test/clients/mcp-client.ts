import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

interface ToolResult {
  readonly isError?: boolean
  readonly content: readonly { readonly text?: string }[]
  readonly structuredContent?: unknown
}

interface Message {
  readonly result?: unknown
  readonly error?: unknown
}

/** A server of the Model Context Protocol, on its standard input and output. */
export interface McpClient {
  readonly call: (tool: string, args?: object) => Promise<ToolResult>
  readonly stop: () => void
}

export async function startMcpServer(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<McpClient> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, (message: Message) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
  })
  child.once('exit', () => {
    for (const resolve of waiting.values()) resolve({ error: 'The server has ended' })
  })
  const send = (message: object): unknown =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  const request = async <T>(method: string, params: object): Promise<T> => {
    const id = (last += 1)
    const { result, error } = await new Promise<Message>((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
    if (error !== undefined) throw new Error(JSON.stringify(error))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the protocol says
    return result as T
  }
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    call: (name, args = {}) => request('tools/call', { name, arguments: args }),
    stop: () => void child.kill(),
  }
}
