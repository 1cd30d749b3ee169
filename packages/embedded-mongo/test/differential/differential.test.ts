import { createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { connect } from 'node:net'
import { readFileSync } from 'node:fs'
import { type Document, Double, Int32 } from 'bson'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedMongo, startEmbeddedMongo } from '../../src/index.ts'
import { generators } from '../generators/scripts.ts'
import { createRandom } from '../random.ts'
import { compareScript, database, type Difference, type Pair, type Script } from './compare.ts'
import { explained } from './explained.ts'
import { fuzz } from './fuzz.ts'
import { shrinkDifference } from './shrink.ts'
import { connectWire, parseReply, readMessages, toMessage } from './wire.ts'

type Alter = (reply: Document) => Document

let embedded: EmbeddedMongo[]
let proxy: Server
// What the proxy in front of the second server does to its replies.
let alter: Alter
let servers: Pair
let altered: string

beforeAll(async () => {
  embedded = await Promise.all([start(), start()])
  proxy = createServer((client) => void serve(client)).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  altered = `mongodb://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
  servers = { a: await connectWire(uri(0)), b: await connectWire(altered) }
})

afterAll(async () => {
  servers.a.close()
  servers.b.close()
  proxy.close()
  await Promise.all(embedded.map((server) => server.stop()))
})

describe('the differential test', () => {
  it.each(Object.keys(generators))(
    'finds no difference between two embedded databases: %s',
    async (generator) => {
      const lines: string[] = []
      const options = { a: uri(0), b: uri(1), seed: 7, runs: 100, generators: [generator] }
      expect(await fuzz({ ...options, print: (line) => lines.push(line) })).toBe(0)
      expect(lines).toEqual([`${generator}: 100 cases, 0 unexplained differences`])
    },
  )

  // Generators that only cause errors would prove little.
  it.each(Object.entries(generators))('gets results for most commands: %s', async (_, generate) => {
    const { setup, commands } = generate(createRandom(3), 200)
    await servers.a.run(database, { dropDatabase: 1 })
    let failed = 0
    const results = new Set<string>()
    for (const command of [...setup, ...commands]) {
      const { ok, writeErrors, cursor } = await servers.a.run(database, command)
      if (Number(ok) !== 1 || writeErrors !== undefined) failed += 1
      results.add(JSON.stringify(cursor))
    }
    expect(failed).toBeLessThan(commands.length * 0.6)
    expect(results.size).toBeGreaterThan(40)
  })

  const insert: Script = {
    setup: [],
    commands: [{ insert: 'items', documents: [{ _id: 1, a: 1, b: 2 }] }],
  }
  const items = { insert: 'items', documents: [{ _id: 1, a: 1, b: 2 }] }
  const find: Script = { setup: [items], commands: [{ find: 'items' }] }
  const duplicate: Script = { setup: [items], commands: [items] }

  it.each<[name: string, script: Script, change: Alter]>([
    ['a type', find, onFirst(({ a, ...rest }) => ({ ...rest, a: new Double(Number(a)) }))],
    ['the order of fields', find, onFirst(({ _id, a, b }) => ({ _id, b, a }))],
    ['a value', find, onFirst((item) => ({ ...item, a: new Int32(3) }))],
    [
      'a missing document',
      find,
      ({ cursor, ...rest }) => ({ ...rest, cursor: { ...cursor, firstBatch: [] } }),
    ],
    ['an open cursor', find, ({ cursor, ...rest }) => ({ ...rest, cursor: { ...cursor, id: 7n } })],
    ['a write count', insert, onField('n', new Int32(2))],
    ['an additional field', insert, onField('more', 1)],
    ['the code of a write error', duplicate, onWriteError('code', new Int32(11001))],
    ['the index of a write error', duplicate, onWriteError('index', new Int32(1))],
    ['the value of a duplicate key', duplicate, onWriteError('keyValue', { _id: 2 })],
    ['a code', toScript({ find: 'items', filter: { $no: 1 } }), onField('code', new Int32(9))],
    [
      'the name of a code',
      toScript({ find: 'items', filter: { $no: 1 } }),
      onField('codeName', 'X'),
    ],
    ['an error in place of a result', find, () => ({ ok: 0, code: 2, codeName: 'BadValue' })],
  ])('sees %s', async (_, script, change) => {
    alter = change
    const found = await compareScript(servers, script)
    expect(found).toHaveLength(1)
    expect(found[0]?.explanation).toBeUndefined()
  })

  it('ignores messages, times and ids of cursors', async () => {
    alter = (reply) => ({
      ...reply,
      ...('errmsg' in reply ? { errmsg: 'other' } : {}),
      operationTime: 1,
    })
    expect(await compareScript(servers, duplicate)).toEqual([])
    expect(await compareScript(servers, toScript({ find: 'items', filter: { $no: 1 } }))).toEqual(
      [],
    )
  })

  it('explains a feature that the embedded database refuses', async () => {
    alter = () => ({ ok: 1, cursor: { firstBatch: [], id: 0n, ns: 'x' } })
    const [found] = await compareScript(servers, {
      setup: [],
      commands: [{ find: 'items', tailable: true }],
    })
    expect(found?.explanation).toBe('refused by name')
  })

  it('reduces a difference to what it needs, and reports it', async () => {
    alter = onFirst((item) => ('a' in item ? { ...item, a: null } : item))
    const script: Script = {
      setup: [
        { createIndexes: 'items', indexes: [{ key: { b: 1 }, name: 'b' }] },
        {
          insert: 'items',
          documents: [
            { _id: 1, b: [1, 2] },
            { _id: 2, a: { x: 1 }, b: 3 },
          ],
        },
      ],
      commands: [
        { find: 'items', filter: { b: 1 } },
        { find: 'items', filter: { b: { $gte: 2 } }, sort: { _id: -1 }, projection: { a: 1 } },
      ],
    }
    const [found] = await compareScript(servers, script)
    const small = await shrinkDifference(servers, found as Difference)
    expect(small.script).toEqual({
      setup: [{ insert: 'items', documents: [{ a: {}, _id: 2 }] }],
      commands: [{ find: 'items' }],
    })
    const lines: string[] = []
    const options = { a: uri(0), b: altered, seed: 1, runs: 200, generators: ['query'] }
    expect(await fuzz({ ...options, print: (line) => lines.push(line) })).toBe(10)
    expect(lines[0]).toMatch(
      /^query, seed 1000000:\n {4}\{"insert".+\n {4}\{"find".+\n {2}A .+\n {2}B /,
    )
    expect(lines.at(-1)).toMatch(/^query: \d+ cases, 10 unexplained differences$/)
  })

  it('refuses generators that there are not, and servers that it cannot speak to', async () => {
    const options = { a: uri(0), b: uri(1), seed: 1, runs: 1, print: () => {} }
    await expect(fuzz({ ...options, generators: ['quary'] })).rejects.toThrow(
      "No generator 'quary'; there are query,",
    )
    for (const secure of [
      'mongodb+srv://host/',
      'mongodb://user:x@host/',
      'mongodb://host/?tls=true',
    ]) {
      await expect(connectWire(secure)).rejects.toThrow('without TLS, users and SRV names')
    }
  })

  it('has its explained differences in docs/database.md', () => {
    const docs = readFileSync(new URL('../../../../docs/database.md', import.meta.url), 'utf8')
    for (const { name, reason } of explained) {
      expect(docs.replaceAll(/ +/g, ' ')).toContain(`| ${name} | ${reason} |`)
    }
  })
})

function start(): Promise<EmbeddedMongo> {
  return startEmbeddedMongo({ storage: { memory: true }, port: 0 })
}

function uri(index: number): string {
  return embedded[index]?.uri ?? ''
}

function toScript(command: Document): Script {
  return { setup: [], commands: [command] }
}

function onField(name: string, value: unknown): Alter {
  return (reply) => ({ ...reply, [name]: value })
}

function onFirst(change: Alter): Alter {
  return (reply) => {
    if (!('cursor' in reply)) return reply
    const { firstBatch, ...cursor } = reply['cursor']
    return { ...reply, cursor: { firstBatch: firstBatch.map(change), ...cursor } }
  }
}

function onWriteError(name: string, value: unknown): Alter {
  return (reply) =>
    'writeErrors' in reply
      ? { ...reply, writeErrors: [{ ...reply['writeErrors'][0], [name]: value }] }
      : reply
}

// Forwards messages to the second server, and its replies changed; dropping a database is left alone.
async function serve(client: Socket): Promise<void> {
  const target = connect(Number(new URL(uri(1)).port), '127.0.0.1')
  client.on('error', () => target.destroy()).on('close', () => target.destroy())
  const replies = readMessages(target)
  for await (const message of readMessages(client)) {
    target.write(message)
    const { value } = await replies.next()
    if (value === undefined) return
    const isDrop = 'dropDatabase' in parseReply(message)
    const reply = parseReply(value)
    client.write(isDrop || 'nIndexesWas' in reply ? value : toMessage(alter(reply)))
  }
}
