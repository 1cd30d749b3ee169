import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const problemSchema = z.looseObject({
  code: z.string(),
  status: z.int(),
  requestId: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ in: z.string(), pointer: z.string() })).optional(),
})

export type Problem = z.output<typeof problemSchema>
type Values = Readonly<Record<string, unknown>>

/** The official client, and what most tests ask of it. */
export interface Connected {
  readonly client: Client
  /** Calls a tool that has to succeed, and returns its structured content. */
  readonly run: <Result = Record<string, unknown>>(name: string, values?: Values) => Promise<Result>
  /** Calls a tool that has to fail, and returns the problem. */
  readonly fail: (name: string, values?: Values) => Promise<Problem>
}

export function wrap(client: Client): Connected {
  // Validates structured content, because the client has read the output schemas.
  const call = async (
    name: string,
    values: Values = {},
  ): Promise<z.output<typeof CallToolResultSchema>> =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: { ...values } }))
  return {
    client,
    async run<Result>(name: string, values?: Values) {
      const { content, isError, structuredContent } = await call(name, values)
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      if (isError || !structuredContent) throw new Error(`${name} failed: ${text}`)
      if (text !== JSON.stringify(structuredContent)) throw new Error('The text differs.')
      return structuredContent as Result
    },
    async fail(name, values) {
      const { content, isError, structuredContent } = await call(name, values)
      const [first] = content
      if (!isError || structuredContent || first?.type !== 'text') {
        throw new Error(`${name} succeeded: ${JSON.stringify(structuredContent)}`)
      }
      return problemSchema.parse(JSON.parse(first.text))
    },
  }
}

export async function connect(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  await client.listTools()
  return wrap(client)
}
