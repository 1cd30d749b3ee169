import { once } from 'node:events'
import { type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createApi, createRegistry, createServer } from '@create-api/core'
import { createItems } from '../pipeline/items.ts'

const json = 'Content-Type: application/json'

/** Every way a response goes: fast, as an error, by Express itself, in parts. */
const requests = [
  'GET /items/1',
  'HEAD /items/1',
  'GET /items/1|If-None-Match: "7"',
  'GET /items/1|Origin: https://app.example.com',
  'GET /items/fail/now',
  'GET /items/much-too-long',
  `POST /items|${json}|Content-Length: 12||{"text":"x"}`,
  `POST /items|${json}|Content-Length: 11||{"text":""}`,
  `POST /items|${json}|Content-Length: 3||{"t`,
  'DELETE /items/1',
  'OPTIONS /items/1',
  'GET /nope',
  'GET /health/live',
  'GET /own/json',
  'GET /own/parts',
]

/** How many requests {@link askAll} sends. */
export const requestCount = requests.length

/**
 * Makes a service with routes of both kinds, on the server that the framework makes.
 * @returns the server, not listening
 */
export function createService(): Server {
  const { app } = createApi({
    routes: createRegistry().use('/items', createItems()),
    environment: 'production',
    auth: false,
    database: false,
    openapi: false,
    log: { level: 'silent' },
    accessLog: { stream: { write: () => {} } },
    cors: { origins: ['https://app.example.com'], credentials: true },
    rateLimit: { limit: 1000, now: () => 0 },
  })
  app.get('/own/json', (_req, res) => {
    res.json({ own: true })
  })
  app.get('/own/parts', (_req, res) => {
    res.write('a')
    res.end('b')
  })
  return createServer(app)
}

/**
 * Sends every request, one after another, each on its own connection.
 * @param server - closed afterwards
 * @returns the responses, to the byte but for their date
 */
export async function askAll(server: Server): Promise<string[]> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const responses: string[] = []
  for (const request of requests) responses.push(await ask(server, request))
  server.close()
  return responses
}

async function ask(server: Server, request: string): Promise<string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [head = '', body = ''] = request.split('||')
  const [first = '', ...headers] = head.split('|')
  const fixed = ['Host: localhost', 'Connection: close', 'X-Request-Id: fixed']
  socket.write([`${first} HTTP/1.1`, ...fixed, ...headers, '', body].join('\r\n'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/\r\nDate: .*/, '\r\nDate: now')
}
