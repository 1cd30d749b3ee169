import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../../src/lib/database/connect.ts'
import { type Certificate, createCertificate, hasOpenssl } from '../limits/certificate.ts'

type Embedded = Awaited<ReturnType<typeof startEmbeddedMongo>>

const logger = { info: () => {}, warn: () => {} }
let embedded: Embedded
let port: number
let database: Database | undefined

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
  port = Number(new URL(embedded.uri).port)
})

afterEach(async () => {
  await database?.stop()
  database = undefined
})

afterAll(() => embedded.stop())

async function connect(uri: string): Promise<Database> {
  database = await connectDatabase({ uri, logger })
  return database
}

describe.skipIf(!hasOpenssl)('a server with TLS', () => {
  let certificate: Certificate
  let server: Server
  let address: string

  beforeAll(async () => {
    certificate = createCertificate()
    const files = { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }
    server = createServer(files, (client) => {
      const target = createConnection(port, '127.0.0.1')
      client.pipe(target).pipe(client)
      client.on('error', () => target.destroy()).on('close', () => target.destroy())
      target.on('error', () => client.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const bound = server.address()
    address = `mongodb://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/shop`
  })

  afterAll(() => {
    server.close()
    certificate.remove()
  })

  it('is used with tls and tlsCAFile in the URI', async () => {
    const file = encodeURIComponent(certificate.cert)
    const { connection } = await connect(
      `${address}?directConnection=true&tls=true&tlsCAFile=${file}`,
    )
    expect(connection.name).toBe('shop')
    await connection.collection('items').insertOne({ n: 1 })
  })

  it('is rejected with the reason when its certificate is not trusted, or TLS is missing', async () => {
    await expect(connect(`${address}?directConnection=true&tls=true`)).rejects.toThrow(
      /MongoDB at mongodb:\/\/127\.0\.0\.1:\d+\/shop cannot be used: self-signed certificate/,
    )
    await expect(connect(`${address}?directConnection=true`)).rejects.toThrow('cannot be used')
  })
})

describe('an SRV name', () => {
  let resolver: UdpSocket
  const before = getServers()

  beforeAll(async () => {
    resolver = createSocket('udp4', (query, from) => respond(query, from)).bind(0, '127.0.0.1')
    await once(resolver, 'listening')
    setServers([`127.0.0.1:${resolver.address().port}`])
  })

  afterAll(() => {
    setServers(before)
    resolver.close()
  })

  // The target must be in the domain of the name, and an address, which needs no resolver.
  it('finds the members, and options in a TXT record', async () => {
    const { connection } = await connect('mongodb+srv://cluster.0.0.1/shop?tls=false')
    expect(connection.getClient().options.replicaSet).toBe('rs0')
    await connection.collection('items').insertOne({ n: 1 })
    expect(connection.name).toBe('shop')
  })

  it('that does not exist is reported', async () => {
    await expect(connect('mongodb+srv://missing.0.0.1/shop')).rejects.toThrow(
      /MongoDB at mongodb\+srv:\/\/missing\.0\.0\.1\/shop cannot be used: querySrv ENOTFOUND/,
    )
  })

  function respond(query: Buffer, { port: to, address }: RemoteInfo): void {
    const end = query.indexOf(0, 12) + 1
    const name = query.toString('latin1', 12, end)
    const type = query.readUInt16BE(end)
    const data = name.includes('cluster') ? toData(type) : undefined
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(data ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(data ? 1 : 0, 6)
    const question = query.subarray(12, end + 4)
    resolver.send(
      Buffer.concat([head, question, ...(data ? [toRecord(type, data)] : [])]),
      to,
      address,
    )
  }

  function toData(type: number): Buffer | undefined {
    if (type === 16) return toLabel('replicaSet=rs0')
    if (type !== 33) return undefined
    const target = ['127', '0', '0', '1'].map((part) => toLabel(part))
    const numbers = Buffer.alloc(6)
    numbers.writeUInt16BE(port, 4)
    return Buffer.concat([numbers, ...target, Buffer.from([0])])
  }
})

function toLabel(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
}

function toRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  // The name of the question.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
