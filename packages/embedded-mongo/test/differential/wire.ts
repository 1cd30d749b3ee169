// A client that sends commands unchanged: it adds no session, retry or timestamp.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { deserialize, type Document, serialize } from 'bson'

const opMsg = 2013
const headerLength = 16
// Flags and the kind of the only section.
const bodyStart = headerLength + 5
const plain = /^mongodb:\/\/([^/:@,]+)(?::(\d+))?[,/?]/
const secure = /[?&](?:tls|ssl)=true/

export interface Wire {
  /** Sends a command; the reply has the classes of BSON for every number. */
  run(database: string, command: Document): Promise<Document>
  close(): void
}

/**
 * Connects to the first host of a connection string.
 * @throws {Error} if the server demands TLS or a user, which this client does not speak
 */
export async function connectWire(uri: string): Promise<Wire> {
  const [, name = '', port = '27017'] = plain.exec(uri) ?? []
  if (name === '' || secure.test(uri)) {
    throw new Error(
      'The differential test needs a server without TLS, users and SRV names: mongodb://host:port/',
    )
  }
  const socket = connect(Number(port), name)
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const messages = readMessages(socket)
  return {
    async run(database, command) {
      socket.write(toMessage({ ...command, $db: database }))
      const { value, done } = await messages.next()
      if (done === true) throw new Error(`The server closed the connection: ${uri}`)
      return parseReply(value)
    },
    close: () => socket.destroy(),
  }
}

export async function* readMessages(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let received = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk])
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0)
      yield received.subarray(0, length)
      received = received.subarray(length)
    }
  }
}

export function toMessage(body: Document, responseTo = 0): Buffer {
  const bytes = serialize(body, { ignoreUndefined: false })
  const message = Buffer.alloc(bodyStart + bytes.length)
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(responseTo, 8)
  message.writeInt32LE(opMsg, 12)
  message.set(bytes, bodyStart)
  return message
}

export function parseReply(message: Buffer): Document {
  return deserialize(message.subarray(bodyStart), { promoteValues: false, bsonRegExp: true })
}
