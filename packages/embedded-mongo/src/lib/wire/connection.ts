import { type Socket } from 'node:net'
import { headerLength, type Message, parseMessage } from './message.ts'

const maxMessageBytes = 48_000_000

type MessageHandler = (message: Message) => Promise<Buffer | undefined> | Buffer | undefined

// Closes the connection on anything that is not a message. Replies may be sent out of order.
export function serveConnection(socket: Socket, handler: MessageHandler): void {
  let chunks: Buffer[] = []
  let received = 0
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    for (let length = lengthOf(chunks); length !== undefined; length = lengthOf(chunks)) {
      if (length < headerLength || length > maxMessageBytes) {
        socket.destroy()
        return
      }
      if (received < length) return
      // Joins chunks once per message, not once per chunk.
      const joined = join(chunks)
      chunks = received > length ? [joined.subarray(length)] : []
      received -= length
      handle(socket, joined.subarray(0, length), handler)
    }
  })
}

// The length of the message that starts here; undefined while its first bytes are missing.
function lengthOf(chunks: Buffer[]): number | undefined {
  const [first] = chunks
  const start = first && first.length < 4 ? join(chunks) : first
  return start && start.length >= 4 ? start.readInt32LE(0) : undefined
}

function join(chunks: Buffer[]): Buffer {
  const [first] = chunks
  return first && chunks.length === 1 ? first : Buffer.concat(chunks)
}

function handle(socket: Socket, bytes: Buffer, handler: MessageHandler): void {
  let reply: ReturnType<MessageHandler>
  try {
    reply = handler(parseMessage(bytes))
  } catch {
    socket.destroy()
    return
  }
  if (reply instanceof Promise) {
    reply.then(
      (late) => send(socket, late),
      () => socket.destroy(),
    )
  } else send(socket, reply)
}

// Backpressure: a client that does not read its replies is not read from, or they would pile up.
function send(socket: Socket, reply: Buffer | undefined): void {
  if (!reply || socket.destroyed || socket.write(reply)) return
  socket.pause()
  socket.once('drain', () => socket.resume())
}
