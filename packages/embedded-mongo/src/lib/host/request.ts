import { connect, type Socket } from 'node:net'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/codec.ts'
import { headerLength, messageOpCode, parseMessage } from '../wire/message.ts'

const requestTimeoutMs = 60_000
const probeTimeoutMs = 2000

// Connects and checks that an embedded database responds; undefined otherwise.
export async function probe(uri: string): Promise<Socket | undefined> {
  const target = toTarget(uri)
  if (!target) return undefined
  const socket = connect(target)
  socket.on('error', () => socket.destroy())
  try {
    const { modules } = await request(socket, { buildInfo: 1, $db: 'admin' }, probeTimeoutMs)
    if (Array.isArray(modules) && modules.includes('embedded')) return socket
  } catch {
    // Not an embedded database.
  }
  socket.destroy()
  return undefined
}

export function request(socket: Socket, body: Doc, timeoutMs = requestTimeoutMs): Promise<Doc> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const settle = (finish: () => void): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      finish()
    }
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      if (received.length < 4 || received.length < received.readInt32LE(0)) return
      settle(() => {
        try {
          resolve(parseMessage(received).body)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
    }
    const onClose = (): void => settle(() => reject(new Error('The connection was closed.')))
    const timer = setTimeout(
      () => settle(() => reject(new Error('No response in time.'))),
      timeoutMs,
    )
    socket.on('data', onData).on('close', onClose)
    socket.write(toMessage(body))
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

function toMessage(body: Doc): Buffer {
  const message = Buffer.concat([Buffer.alloc(headerLength + 5), encode(body)])
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(messageOpCode, 12)
  return message
}
