import { Double } from 'bson'
import { once } from 'node:events'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { start } from '../../../test/fresh-server.ts'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/codec.ts'
import { serveConnection } from './connection.ts'
import { parseMessage } from './message.ts'

async function open(): Promise<Socket> {
  const { uri } = await start()
  const path = decodeURIComponent(/\/\/([^/]+)\//.exec(uri)?.[1] ?? '')
  const socket = connectSocket(path)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

function message(parts: Buffer[], { opCode = 2013, flags = 0 } = {}): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(20), ...parts])
  bytes.writeInt32LE(bytes.length, 0)
  bytes.writeInt32LE(77, 4)
  bytes.writeInt32LE(opCode, 12)
  bytes.writeUInt32LE(flags, 16)
  return bytes
}

function body(doc: Doc): Buffer {
  return Buffer.concat([Buffer.from([0]), encode({ ...doc, $db: 'app' })])
}

function sequence(name: string, documents: Buffer[]): Buffer {
  const size = Buffer.alloc(4)
  const parts = [Buffer.from(`${name}\0`), ...documents]
  size.writeInt32LE(4 + parts.reduce((sum, { length }) => sum + length, 0))
  return Buffer.concat([Buffer.from([1]), size, ...parts])
}

async function reply(socket: Socket): Promise<Doc> {
  const [bytes] = await once(socket, 'data')
  expect(bytes.readInt32LE(8)).toBe(77)
  return parseMessage(bytes).body
}

describe('a connection', () => {
  it('replies to a message received byte by byte, and to two received at once', async () => {
    const socket = await open()
    const ping = message([body({ ping: 1 })])
    for (const byte of ping) socket.write(Buffer.from([byte]))
    expect(await reply(socket)).toMatchObject({ ok: new Double(1) })
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.write(Buffer.concat([ping, ping]))
    const single = message([]).length
    await expect.poll(() => Buffer.concat(received).length).toBeGreaterThan(2 * single)
    const all = Buffer.concat(received)
    expect(all.length).toBe(2 * all.readInt32LE(0))
    socket.destroy()
  })

  it('reads document sequences and a checksum', async () => {
    const socket = await open()
    const documents = [encode({ _id: 1 }), encode({ _id: 2 })]
    const parts = [body({ insert: 'a' }), sequence('documents', documents), Buffer.alloc(4)]
    const bytes = message(parts, { flags: 1 })
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
    socket.write(bytes)
    expect(await reply(socket)).toMatchObject({ n: 2, ok: new Double(1) })
    socket.destroy()
  })

  it('stores values of the deprecated type undefined as null, which they are read as', async () => {
    const socket = await open()
    const documents = [encode({ _id: 1, old: null, inner: { old: null } }), encode({ _id: 2 })]
    const first = documents[0] ?? Buffer.alloc(0)
    for (let at = first.indexOf('\nold\0'); at >= 0; at = first.indexOf('\nold\0')) first[at] = 6
    socket.write(message([body({ insert: 'a' }), sequence('documents', documents)]))
    expect(await reply(socket)).toMatchObject({ n: 2 })
    const find = { find: 'a', filter: { old: { $type: 'null' }, 'inner.old': { $type: 'null' } } }
    socket.write(message([body(find)]))
    const [bytes]: Buffer[] = await once(socket, 'data')
    expect(bytes?.includes(encode({ _id: 1, old: null, inner: { old: null } }))).toBe(true)
    socket.destroy()
  })

  it('gets an error for a body that cannot be read, and stays open', async () => {
    const socket = await open()
    let nested: Doc = {}
    for (let depth = 0; depth < 150; depth += 1) nested = { a: nested }
    socket.write(message([body({ insert: 'things', documents: [nested] })]))
    expect(await reply(socket)).toMatchObject({ ok: new Double(0), code: 15, codeName: 'Overflow' })
    const broken = body({ ping: 1 })
    // The type of the first field becomes one that does not exist.
    broken[5] = 0x60
    socket.write(message([broken]))
    expect(await reply(socket)).toMatchObject({
      ok: new Double(0),
      code: 22,
      codeName: 'InvalidBSON',
    })
    socket.write(message([body({ ping: 1 })]))
    expect(await reply(socket)).toMatchObject({ ok: new Double(1) })
    socket.destroy()
  })

  it('reads no further requests while buffers are not read', async () => {
    const buffers = new Set<Buffer>()
    const server = createServer((socket) => {
      serveConnection(socket, () => {
        const buffer = Buffer.alloc(4 * 1024 * 1024)
        buffers.add(buffer)
        return buffer
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connectSocket(Number(Object(server.address()).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    const requests = 30
    // Each larger than what comes in one piece.
    const ping = message([body({ ping: 1, comment: 'x'.repeat(70_000) })])
    for (let i = 0; i < requests; i += 1) socket.write(ping)
    await expect.poll(() => buffers.size).toBeGreaterThan(0)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(buffers.size).toBeLessThan(10)
    socket.resume()
    await expect.poll(() => buffers.size).toBe(requests)
    socket.destroy()
    server.close()
  })

  it('sends no reply to a message with moreToCome', async () => {
    const socket = await open()
    socket.write(message([body({ insert: 'a', documents: [{}] })], { flags: 2 }))
    socket.write(message([body({ count: 'a' })]))
    expect(await reply(socket)).toMatchObject({ n: 1 })
    socket.destroy()
  })

  it('replies to the old handshake with OP_REPLY', async () => {
    const socket = await open()
    const query = Buffer.concat([
      Buffer.from('admin.$cmd\0'),
      Buffer.alloc(8),
      encode({ ismaster: 1, helloOk: true }),
    ])
    socket.write(message([query], { opCode: 2004 }))
    const [bytes] = await once(socket, 'data')
    expect(bytes.readInt32LE(12)).toBe(1)
    expect(bytes.toString('latin1')).toContain('isWritablePrimary')
    socket.destroy()
  })

  it.each([
    ['another opcode', message([body({ ping: 1 })], { opCode: 2010 })],
    ['an unknown required flag', message([body({ ping: 1 })], { flags: 4 })],
    ['no body', message([])],
    ['two bodies', message([body({ ping: 1 }), body({ ping: 1 })])],
    ['a section of an unknown kind', message([Buffer.from([9]), encode({})])],
    ['a section that is cut off', message([body({ ping: 1 }).subarray(0, -3)])],
    ['a length below the header’s', Buffer.from([3, 0, 0, 0, 0, 0, 0, 0])],
    ['a length above 48 MB', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0])],
  ])('is closed at %s', async (_name, bytes) => {
    const socket = await open()
    const closed = once(socket, 'close')
    socket.resume().write(bytes)
    await closed
    expect(socket.destroyed).toBe(true)
  })
})
