import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTestClient } from '@create-api/core/testing'
import { createApi, createRegistry } from '@create-api/core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  killServices,
  type ServiceProcess,
  startService,
} from '../../../packages/core/test/faults/service-process.ts'

// Sockets that have left the HTTP server: neither `server.close()` nor `closeAllConnections()` closes them.

const opened = new Set<Socket>()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'open-sockets-'))
})

afterEach(async () => {
  for (const socket of opened) socket.destroy()
  opened.clear()
  await rm(folder, { recursive: true })
})

afterAll(killServices)

async function openWebSocket(url: string): Promise<WebSocket> {
  const client = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  client.on('error', () => {})
  await once(client, 'open')
  return client
}

// Never ends its own side, as a client that is gone without a word.
async function open(url: string, head: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => {})
  opened.add(socket)
  socket.write(`${head}\r\nHost: x\r\n\r\n`)
  await once(socket, 'data')
  return socket
}

const sockets: Record<string, (url: string) => Promise<unknown>> = {
  'a WebSocket': openWebSocket,
  'a CONNECT tunnel': (url) => open(url, 'CONNECT example.com:443 HTTP/1.1'),
  'a half-open socket': (url) =>
    open(url, 'GET /raw HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: x'),
}

function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const file = path.join(import.meta.dirname, 'open-sockets.process.ts')
  return startService({ MONGODB_URI: `embedded:${folder}`, SHUTDOWN_TIMEOUT: '5s', ...env }, file)
}

// The owner of a folder publishes this file, and removes it when it closes the database.
function isDatabaseOpen(): boolean {
  return existsSync(path.join(folder, 'server.json'))
}

async function openAll(url: string): Promise<void> {
  for (const openSocket of Object.values(sockets)) await openSocket(url)
}

const cases = [
  ...Object.entries(sockets).map(([name, openSocket]) => [name, '1', openSocket] as const),
  ['all of them', '2', openAll] as const,
]

describe('AVL-04 upgraded connections', () => {
  it.each(cases)(
    'end at the shutdown timeout with the process: %s, WORKERS=%s',
    async (_name, workers, openSockets) => {
      const service = await start({ WORKERS: workers })
      await openSockets(service.url)
      expect(isDatabaseOpen()).toBe(true)
      service.child.kill('SIGTERM')
      expect(await service.exit).toBe(1)
      expect(isDatabaseOpen()).toBe(false)
      expect(service.log.at(-1)?.msg).toBe(
        'stopped after the shutdown timeout; open connections were closed',
      )
    },
  )

  it('do not keep a program alive that stops the API itself', async () => {
    const service = await start()
    await openAll(service.url)
    service.child.send('stop')
    expect(await service.exit).toBe(0)
    expect(isDatabaseOpen()).toBe(false)
  })
})

describe('WebSockets', () => {
  it.each(['1', '2'])(
    'that the application closes itself let %s process(es) end at once',
    async (workers) => {
      const service = await start({
        WORKERS: workers,
        CLOSES_WEBSOCKETS: '1',
        SHUTDOWN_TIMEOUT: '10m',
      })
      const client = await openWebSocket(service.url)
      const closed = once(client, 'close')
      service.child.kill('SIGTERM')
      expect((await closed)[0]).toBe(1001)
      expect(await service.exit).toBe(0)
    },
  )

  it('are closed by the test client', async () => {
    const api = createApi({ routes: createRegistry(), environment: 'test', auth: false })
    const client = await createTestClient(api)
    const webSockets = new WebSocketServer({ noServer: true })
    api.server?.on('upgrade', (req, socket, head) => {
      webSockets.handleUpgrade(req, socket, head, () => {})
    })
    const closed = once(await openWebSocket(client.url), 'close')
    await client.stop()
    // 1006: cut, without a close frame.
    expect((await closed)[0]).toBe(1006)
  })
})

describe('a server that the application has closed itself', () => {
  it('does not keep the API from stopping', async () => {
    const api = createApi({ routes: createRegistry(), environment: 'test', auth: false })
    const { server } = await api.start({ port: 0, signals: false })
    await new Promise((resolve) => server?.close(resolve))
    await api.stop()
    expect(api.stopping.aborted).toBe(true)
  })
})
