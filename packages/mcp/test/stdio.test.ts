import { withDatabase } from '@create-api/core'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { mcp, serveStdio } from '../src/index.ts'
import { wrap } from './connect.ts'
import { createLibrary } from './library.ts'

// The other end of the streams. That of the SDK starts a process, as `packages/cli/test/mcp.system.test.ts` does.
function createTransport(
  stdin: PassThrough,
  stdout: PassThrough,
): Parameters<Client['connect']>[0] {
  const buffer = new ReadBuffer()
  return {
    onmessage: undefined,
    async start() {
      stdout.on('data', (chunk: Buffer) => {
        buffer.append(chunk)
        for (;;) {
          const message = buffer.readMessage()
          if (message === null) return
          this.onmessage?.(message)
        }
      })
    },
    async send(message: JSONRPCMessage) {
      stdin.write(serializeMessage(message))
    },
    async close() {
      stdin.end()
    },
  }
}

it('serves tools over streams until the client closes them', async () => {
  const api = createLibrary()
  const { call, tools } = mcp(api, { tools: { read: ['/api/books', '/api/members'] } })
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const client = new Client({ name: 'test', version: '1.0.0' })
  await withDatabase(api, async () => {
    const served = serveStdio({ name: 'library', version: '2.0.0', tools, call }, { stdin, stdout })
    await client.connect(createTransport(stdin, stdout))
    expect((await client.listTools()).tools).toEqual(tools)
    const { fail, run } = wrap(client)
    expect(await run('books_list')).toEqual({ data: [], meta: { limit: 20 } })
    expect(await fail('members_list')).toMatchObject({ code: 'unauthenticated' })
    await expect(client.callTool({ name: 'constructor' })).rejects.toThrow('There is no tool')
    await client.close()
    await served
  })
})

it('ends for a message that is too large', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const call = (): never => expect.unreachable()
  const served = serveStdio({ name: 'x', version: '1.0.0', tools: [], call }, { stdin, stdout })
  const chunk = Buffer.alloc(1_000_000, 'x')
  for (let sent = 0; sent < 12; sent++) {
    if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), served])
  }
  await served
})
