import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import mongoose from 'mongoose'

const { deserialize, serialize } = mongoose.mongo.BSON
type Document = Record<string, unknown>

const OP_REPLY = 1
const REPLY_START = 36
const MESSAGE_START = 21
const ofReplicaSets = [
  'setName',
  'setVersion',
  'hosts',
  'primary',
  'me',
  'secondary',
  'electionId',
  'lastWrite',
  '$clusterTime',
  'operationTime',
]

/** A proxy that makes a replica set a standalone server. */
export interface StandaloneProxy {
  readonly uri: string
  stop(): Promise<void>
}

/**
 * Starts a proxy: handshakes name no replica set, and commands that need one fail as on a server
 * without one.
 * @param port - of the database on 127.0.0.1
 */
export async function startStandaloneProxy(port: number): Promise<StandaloneProxy> {
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client)).on('error', () => client.destroy())
    void serve(client, port)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    uri: `mongodb://127.0.0.1:${address.port}/`,
    async stop() {
      for (const client of clients) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(client: Socket, port: number): Promise<void> {
  const target = createConnection(port, '127.0.0.1')
  client.on('close', () => target.destroy())
  target.on('close', () => client.destroy()).on('error', () => client.destroy())
  const replies = readMessages(target)
  try {
    for await (const message of readMessages(client)) {
      const fault = findFault(message)
      target.write(message)
      const { value } = await replies.next()
      if (value === undefined) return
      client.write(change(value, (reply) => fault ?? withoutReplicaSet(reply)))
    }
  } catch {
    client.destroy()
  }
}

function withoutReplicaSet(reply: Document): Document {
  return Object.fromEntries(Object.entries(reply).filter(([name]) => !ofReplicaSets.includes(name)))
}

// What a server without a replica set replies.
function findFault(message: Buffer): Document | undefined {
  if (message.readInt32LE(12) !== 2013) return undefined
  const text = message.toString('latin1')
  if (text.includes('txnNumber')) {
    const errmsg = 'Transaction numbers are only allowed on a replica set member or mongos'
    return { ok: 0, errmsg, code: 20, codeName: 'IllegalOperation' }
  }
  if (!text.includes('$changeStream')) return undefined
  const errmsg = 'The $changeStream stage is only supported on replica sets'
  return { ok: 0, errmsg, code: 40573, codeName: 'Location40573' }
}

function change(message: Buffer, edit: (reply: Document) => Document): Buffer {
  const start = message.readInt32LE(12) === OP_REPLY ? REPLY_START : MESSAGE_START
  const body = serialize(edit(deserialize(message.subarray(start), { promoteValues: false })))
  const changed = Buffer.concat([message.subarray(0, start), body])
  changed.writeInt32LE(changed.length, 0)
  return changed
}

async function* readMessages(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let received: Buffer = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk])
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0)
      yield received.subarray(0, length)
      received = received.subarray(length)
    }
  }
}
