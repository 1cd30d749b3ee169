// @ts-check
// The floor of the measurements: a socket that replies to each command with prepared bytes, those a replica
// set would send. It measures the cost of driver and socket, in the same process and run.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Binary, BSON, Long, Timestamp } from 'mongodb'

const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  setName: 'rs0',
  setVersion: 1,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
}

// Every reply of a replica set carries its time, which the driver reads and sends back.
const TIME = {
  operationTime: new Timestamp({ t: 1_700_000_000, i: 1 }),
  $clusterTime: {
    clusterTime: new Timestamp({ t: 1_700_000_000, i: 1 }),
    signature: { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO },
  },
}

/**
 * Starts the floor server.
 *
 * @returns {Promise<{ uri: string, setDocuments(documents: object[]): void, close(): void }>} Its address; `setDocuments` sets what `find` and `aggregate` return.
 */
export async function startFloor() {
  const folder = mkdtempSync(join(tmpdir(), 'floor-'))
  const path = join(folder, 'f.sock')
  const replies = {
    hello: { ...HELLO, hosts: [path], me: path, primary: path },
    insert: { n: 1, ok: 1 },
    update: { n: 1, nModified: 1, ok: 1 },
  }
  const encoded = new Map(Object.entries(replies).map(([name, reply]) => [name, encode(reply)]))
  const setDocuments = (/** @type {object[]} */ documents) => {
    const cursor = { firstBatch: documents, id: Long.ZERO, ns: 'app.things' }
    const reply = encode({ cursor, ok: 1 })
    encoded.set('find', reply).set('aggregate', reply)
  }
  setDocuments([])
  const other = encode({ ok: 1 })
  const hello = encode(replies.hello)
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0))
        received = received.subarray(message.length)
        const isQuery = message.readInt32LE(12) === 2004
        const name = isQuery ? 'hello' : message.toString('latin1', 26, message.indexOf(0, 26))
        const body = name === 'ismaster' ? hello : (encoded.get(name) ?? other)
        socket.write(toReply(message.readInt32LE(4), body, isQuery))
      }
    })
  })
  await new Promise((resolve) => {
    server.listen(path, () => resolve(undefined))
  })
  return {
    uri: `mongodb://${encodeURIComponent(path)}/app?directConnection=true`,
    setDocuments,
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @param {object} reply */
function encode(reply) {
  return Buffer.from(BSON.serialize({ ...reply, ...TIME }))
}

/**
 * @param {number} responseTo
 * @param {Buffer} body
 * @param {boolean} isQuery
 */
function toReply(responseTo, body, isQuery) {
  const head = Buffer.alloc(isQuery ? 36 : 21)
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(responseTo, 8)
  head.writeInt32LE(isQuery ? 1 : 2013, 12)
  if (isQuery) head.writeInt32LE(1, 32)
  return Buffer.concat([head, body])
}
