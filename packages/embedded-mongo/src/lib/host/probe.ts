import { connect, type Socket } from 'node:net'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { HEADER_LENGTH, OP_MSG, parseMessage } from '../wire/message.ts'

const TIMEOUT_MS = 2000

/**
 * Connects to an address and makes sure that an embedded database answers there.
 *
 * @param uri The owner's connection string.
 * @returns The open connection, `undefined` when nobody or somebody else answers.
 */
export function probe(uri: string): Promise<Socket | undefined> {
  const target = toTarget(uri)
  if (!target) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const socket = connect(target)
    const give = (result: Socket | undefined): void => {
      socket.setTimeout(0)
      socket.removeAllListeners()
      socket.on('error', () => {})
      if (!result) socket.destroy()
      resolve(result)
    }
    let received = Buffer.alloc(0)
    socket.setTimeout(TIMEOUT_MS, () => give(undefined))
    socket.on('error', () => give(undefined))
    socket.on('close', () => give(undefined))
    socket.on('connect', () => socket.write(buildInfoRequest()))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 4 || received.length < received.readInt32LE(0)) return
      give(isEmbedded(received) ? socket : undefined)
    })
  })
}

function toTarget(uri: string): { path: string } | { host: string; port: number } | undefined {
  const host = /^mongodb:\/\/([^/]+)\//.exec(uri)?.[1]
  if (host === undefined) return undefined
  const [name = '', port] = host.split(':')
  return port === undefined
    ? { path: decodeURIComponent(name) }
    : { host: name, port: Number(port) }
}

function buildInfoRequest(): Buffer {
  const body = encode({ buildInfo: 1, $db: 'admin' })
  const message = Buffer.concat([Buffer.alloc(HEADER_LENGTH + 5), body])
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(OP_MSG, 12)
  return message
}

function isEmbedded(reply: Buffer): boolean {
  try {
    const { modules }: Doc = parseMessage(reply).body
    return Array.isArray(modules) && modules.includes('embedded')
  } catch {
    return false
  }
}
