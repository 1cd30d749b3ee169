import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a database, to hurt the way between. */
export interface DatabaseProxy {
  /** Address to connect to instead. */
  readonly uri: string
  /** Most connections that there were at one time. */
  readonly mostConnections: number
  /** Lets everything pass, each way after a delay in milliseconds. */
  pass(delay?: number): void
  /** Swallows everything, both ways, and leaves the connections open. */
  swallow(): void
  /** Swallows the next command that holds a text, and nothing else. */
  lose(text: string): void
  /** Cuts every connection, and each new one at once. */
  cut(): void
  stop(): Promise<void>
}

type Mode = { readonly kind: 'pass'; readonly delay: number } | { readonly kind: 'swallow' | 'cut' }

/**
 * Starts a proxy.
 * @param uri - of the database: a host and port, or a unix socket
 * @param delay - milliseconds, each way
 * @returns the proxy
 */
export async function startDatabaseProxy(uri: string, delay = 0): Promise<DatabaseProxy> {
  const connect = toConnect(uri)
  const clients = new Set<Socket>()
  let mostConnections = 0
  let mode: Mode = { kind: 'pass', delay }
  let toLose: string | undefined

  // Bytes keep their order: those that are swallowed are gone, as those of a dead machine.
  function forward(from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on('data', (chunk) => {
      if (mode.kind !== 'pass') return
      if (toLose !== undefined && chunk.includes(toLose)) {
        toLose = undefined
        return
      }
      if (mode.delay === 0) to.write(chunk)
      else setTimeout(() => to.writable && to.write(chunk), mode.delay)
    })
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }

  const server = createServer((client) => {
    if (mode.kind === 'cut') {
      client.destroy()
      return
    }
    clients.add(client)
    mostConnections = Math.max(mostConnections, clients.size)
    client.on('close', () => clients.delete(client))
    const upstream = connect()
    forward(client, upstream)
    forward(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = server.address() as AddressInfo

  function destroyAll(): void {
    for (const client of clients) client.destroy()
  }

  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    get mostConnections() {
      return mostConnections
    },
    pass(milliseconds = 0) {
      mode = { kind: 'pass', delay: milliseconds }
    },
    swallow() {
      mode = { kind: 'swallow' }
    },
    lose(text) {
      toLose = text
    },
    cut() {
      mode = { kind: 'cut' }
      destroyAll()
    },
    async stop() {
      destroyAll()
      server.close()
      await once(server, 'close')
    },
  }
}

function toConnect(uri: string): () => Socket {
  const [, host = ''] = /^mongodb:\/\/(?:[^@/]*@)?([^/?,]+)/.exec(uri) ?? []
  const target = decodeURIComponent(host)
  if (target.startsWith('/')) return () => createConnection(target)
  const [name, port = '27017'] = target.split(':')
  return () => createConnection(Number(port), name)
}
