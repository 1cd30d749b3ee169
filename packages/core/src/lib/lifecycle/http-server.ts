import { once } from 'node:events'
import { type Server } from 'node:http'
import { type Socket } from 'node:net'
import { StartError } from '../errors/start-error.ts'
import { type Ending } from './start-stop.ts'

export interface Listening {
  readonly url: string
  /** Stops accepting connections, and closes those that are still open after `timeoutMs`. */
  close(timeoutMs: number): Promise<Ending>
}

export async function listen(server: Server, port: number, host: string): Promise<Listening> {
  const sockets = trackSockets(server)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError(explainListenError(cause, port, host), cause)
  }
  const address = server.address()
  return {
    url: formatUrl(host, typeof address === 'object' ? address?.port : address),
    close: (timeoutMs) => closeServer(server, sockets, timeoutMs),
  }
}

// Node's `closeAllConnections` leaves out the sockets of WebSockets and tunnels.
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

export function formatUrl(host: string, port: number | string | undefined): string {
  return `http://${isLocal(host) ? 'localhost' : host}:${port}`
}

function isLocal(host: string): boolean {
  return ['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost'].includes(host)
}

function explainListenError(cause: unknown, port: number, host: string): string {
  const { code, message }: NodeJS.ErrnoException =
    cause instanceof Error ? cause : new Error(String(cause))
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use. Stop the other process or choose another port: PORT=${port + 1}`
  }
  if (code === 'EACCES')
    return `Port ${port} needs more privileges. Choose a port above 1023: PORT=3000`
  if (code === 'EADDRNOTAVAIL') {
    return `This machine has no address ${host}. Choose another address: HOST=127.0.0.1`
  }
  return `Cannot listen on ${host}:${port}: ${message}`
}

async function closeServer(
  server: Server,
  sockets: ReadonlySet<Socket>,
  timeoutMs: number,
): Promise<Ending> {
  const closed = once(server, 'close')
  let ending: Ending = 'finished'
  server.close()
  server.closeIdleConnections()
  // A connection without a request counts as idle only later, a busy one after its response.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  const deadline = setTimeout(() => {
    ending = 'forced'
    for (const socket of sockets) socket.destroy()
  }, timeoutMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  return ending
}
