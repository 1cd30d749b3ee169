import { type Socket } from 'node:net'
import { HEADER_LENGTH, type Message, parseMessage } from './message.ts'

const MAX_MESSAGE_BYTES = 48_000_000

/** Answers one request; `undefined` when nothing is to be sent. */
export type AnswerMessage = (message: Message) => Promise<Buffer | undefined> | Buffer | undefined

/**
 * Reads messages from a socket and writes the answers; anything that is no message ends it.
 *
 * @param socket An accepted connection.
 * @param answer Called for each message; a connection's requests may be answered out of order.
 */
export function serveConnection(socket: Socket, answer: AnswerMessage): void {
  let chunks: Buffer[] = []
  let received = 0
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    for (let length = lengthOf(chunks); length !== undefined; length = lengthOf(chunks)) {
      if (length < HEADER_LENGTH || length > MAX_MESSAGE_BYTES) {
        socket.destroy()
        return
      }
      if (received < length) return
      // Chunks are joined once per message, not once per chunk.
      const joined = join(chunks)
      chunks = received > length ? [joined.subarray(length)] : []
      received -= length
      handle(socket, joined.subarray(0, length), answer)
    }
  })
}

// The length of the message that begins here, unless its first bytes are still missing.
function lengthOf(chunks: Buffer[]): number | undefined {
  const [first] = chunks
  const start = first && first.length < 4 ? join(chunks) : first
  return start && start.length >= 4 ? start.readInt32LE(0) : undefined
}

function join(chunks: Buffer[]): Buffer {
  const [first] = chunks
  return first && chunks.length === 1 ? first : Buffer.concat(chunks)
}

function handle(socket: Socket, bytes: Buffer, answer: AnswerMessage): void {
  let message: Message
  try {
    message = parseMessage(bytes)
  } catch {
    socket.destroy()
    return
  }
  const reply = answer(message)
  if (reply instanceof Promise) {
    reply.then(
      (late) => send(socket, late),
      () => socket.destroy(),
    )
  } else send(socket, reply)
}

// Who does not take the answers is not read from: they would pile up here.
function send(socket: Socket, reply: Buffer | undefined): void {
  if (!reply || socket.destroyed || socket.write(reply)) return
  socket.pause()
  socket.once('drain', () => socket.resume())
}
