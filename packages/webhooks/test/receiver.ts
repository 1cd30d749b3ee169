import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** The connections that were opened. */
  readonly connections: () => number
  /** How it responds to the next requests. */
  respond: RequestListener
}

const servers: Server[] = []

afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

/** A server that receives webhooks, on a free port. */
export async function startReceiver(host = '127.0.0.1', port = 0): Promise<Receiver> {
  let connections = 0
  const receiver: Receiver = {
    url: '',
    port: 0,
    received: [],
    connections: () => connections,
    respond: (_req, res) => res.writeHead(204).end(),
  }
  const server = createServer((req, res) => {
    const receive = async (): Promise<void> => {
      receiver.received.push({ headers: toFields(req), body: await readText(req) })
      receiver.respond(req, res)
    }
    receive().catch(() => {})
  })
  server.on('connection', () => (connections += 1))
  servers.push(server)
  await once(server.listen(port, host), 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const address = server.address() as AddressInfo
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
  })
}

async function readText(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req) text += String(chunk)
  return text
}

function toFields({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
