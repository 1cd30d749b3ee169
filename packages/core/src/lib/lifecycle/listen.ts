import { once } from 'node:events'
import { type Server } from 'node:http'
import { StartError } from '../errors/start-error.ts'

/**
 * Opens the door.
 * @param server - not listening yet
 * @param port - TCP port; 0 takes a free one
 * @param host - address
 * @returns the URL
 * @throws StartError that says what to do about a port or an address that cannot be had
 */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new StartError(explainListenError(cause, port, host), cause)
  }
  const address = server.address()
  return toUrl(host, typeof address === 'object' ? address?.port : address)
}

/**
 * Says where a server is found.
 * @param host - address it listens on
 * @param port - TCP port
 * @returns the URL
 */
export function toUrl(host: string, port: number | string | undefined): string {
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
  if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023: PORT=3000`
  if (code === 'EADDRNOTAVAIL') {
    return `This machine has no address ${host}. Choose another one: HOST=127.0.0.1`
  }
  return `Cannot listen on ${host}:${port}: ${message}`
}
