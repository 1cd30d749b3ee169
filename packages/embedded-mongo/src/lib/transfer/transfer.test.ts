import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal128, Double, Int32, Long } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start, temporaryFolder } from '../../../test/fresh-server.ts'
import { exportDatabase, importDatabase } from '../../transfer.ts'
import { run } from './run.ts'

const exact = { promoteValues: false }

async function runTool(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  let out = ''
  let error = ''
  const code = await run(argv, {
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
  })
  return { code, out, error }
}

describe('exportDatabase and importDatabase', () => {
  it('copy a database with exact types, options and indexes', async () => {
    const [source, target] = [await freshDatabase(), await freshDatabase()]
    const things = source.collection('things')
    const documents = Array.from({ length: 2500 }, (_, i) => ({
      int: new Int32(i),
      long: Long.fromString('9007199254740993'),
      double: new Double(i),
      decimal: Decimal128.fromString('1.10'),
      nested: { date: new Date(i), list: [null, 'x', /a/i] },
    }))
    await things.insertMany(documents)
    await things.createIndex({ int: 1 }, { unique: true })
    await things.createIndex({ long: -1 }, { sparse: true, name: 'by_long' })
    await source.createCollection('collated', { collation: { locale: 'en', strength: 2 } })
    const directory = temporaryFolder()
    expect(await exportDatabase(source, { directory })).toEqual([
      { name: 'collated', documents: 0 },
      { name: 'things', documents: 2500 },
    ])
    await importDatabase(target, { from: directory, drop: true })
    expect(await target.collection('things').find({}, exact).toArray()).toEqual(
      await things.find({}, exact).toArray(),
    )
    expect(await target.collection('things').indexes()).toEqual(await things.indexes())
    const [collated] = await target.listCollections({ name: 'collated' }).toArray()
    expect(collated).toMatchObject({ options: { collation: { strength: 2 } } })
  })

  it('copy documents that a validator would reject now, and capped collections', async () => {
    const [source, target] = [await freshDatabase(), await freshDatabase()]
    const validator = { n: { $gt: 0 } }
    const things = await source.createCollection('things', { validator })
    await things.insertOne({ n: 0 }, { bypassDocumentValidation: true })
    await things.createIndex({ n: 'hashed' })
    const logs = await source.createCollection('logs', { capped: true, size: 4096, max: 2 })
    await logs.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }])
    const directory = temporaryFolder()
    await exportDatabase(source, { directory })
    await importDatabase(target, { from: directory, drop: true })
    expect(await target.collection('things').find().toArray()).toMatchObject([{ n: 0 }])
    expect(await target.collection('things').indexes()).toEqual(await things.indexes())
    expect(await target.collection('logs').distinct('n')).toEqual([2, 3])
    expect(await target.listCollections().toArray()).toMatchObject([
      { name: 'logs', options: { capped: true, size: 4096, max: 2 } },
      { name: 'things', options: { validator } },
    ])
  })

  it('writes canonical Extended JSON lines and a metadata file', async () => {
    const source = await freshDatabase()
    await source.collection('a/b').insertOne({ _id: 1 as never, n: new Double(2) })
    const directory = temporaryFolder()
    await exportDatabase(source, { directory, collections: ['a/b'] })
    expect(readdirSync(directory)).toEqual(['a%2Fb.metadata.json', 'a%2Fb.ndjson'])
    expect(readFileSync(join(directory, 'a%2Fb.ndjson'), 'utf8')).toBe(
      '{"_id":{"$numberInt":"1"},"n":{"$numberDouble":"2.0"}}\n',
    )
  })

  it('reads what mongoexport writes, relaxed too', async () => {
    const target = await freshDatabase()
    const file = join(temporaryFolder(), 'posts.json')
    writeFileSync(
      file,
      '{"_id":{"$oid":"0123456789abcdef01234567"},"n":1,"at":{"$date":"2024-01-01T00:00:00Z"}}\n\n{"_id":2,"n":1.5}\n',
    )
    expect(await importDatabase(target, { from: file })).toEqual([{ name: 'posts', documents: 2 }])
    expect(await target.collection('posts').findOne({ n: 1 })).toMatchObject({
      at: new Date('2024-01-01'),
    })
  })

  it('reports file and line of what cannot be read or stored', async () => {
    const target = await freshDatabase()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'bad.ndjson'), '{"_id":1}\n{"_id":\n')
    await expect(importDatabase(target, { from: folder })).rejects.toThrow(/bad\.ndjson:2: /)
    writeFileSync(join(folder, 'bad.ndjson'), '{"_id":1}\n[1]\n')
    await expect(importDatabase(target, { from: folder })).rejects.toThrow(
      /bad\.ndjson:2: a line must contain one document/,
    )
    writeFileSync(join(folder, 'bad.ndjson'), '{"_id":1}\n{"_id":1}\n')
    await expect(importDatabase(target, { from: folder })).rejects.toThrow(/bad\.ndjson:2: E11000/)
  })
})

describe('embedded-mongo', () => {
  it('exports, imports, counts and compacts data folders', async () => {
    const [first, second, files] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const mongo = await start({ storage: { directory: first } })
    const client = await connect(mongo.uri)
    await client
      .db()
      .collection('posts')
      .insertMany([{ n: 1 }, { n: 2 }])
    // The owner runs in this very process: the tool attaches to it.
    expect(await runTool('export', first, files)).toEqual({
      code: 0,
      out: '  exported  posts  2\n',
      error: '',
    })
    expect(await runTool('import', files, second)).toMatchObject({ code: 0 })
    expect(await runTool('stats', second)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^app\.posts {2}2 documents {2}\d+ bytes {2}1 indexes\n$/),
    })
    expect(await runTool('compact', second)).toEqual({
      code: 0,
      out: `compacted ${second}\n`,
      error: '',
    })
    expect(readdirSync(second).toSorted()).toEqual([
      'log-2',
      'log-2.synced',
      'manifest',
      'snapshot-2',
    ])
    expect(await runTool('stats', second)).toMatchObject({
      out: expect.stringContaining('2 documents'),
    })
  })

  it('repairs a damaged log when asked, and not otherwise', async () => {
    const directory = temporaryFolder()
    const mongo = await start({ storage: { directory } })
    const client = await connect(mongo.uri)
    for (let n = 0; n < 5; n += 1) {
      await client
        .db()
        .collection('posts')
        .insertOne({ n }, { writeConcern: { j: true } })
    }
    await mongo.stop()
    const file = join(directory, 'log-1')
    const bytes = readFileSync(file)
    bytes.writeUInt8(
      bytes.readUInt8(Math.floor(bytes.length / 2)) ^ 1,
      Math.floor(bytes.length / 2),
    )
    writeFileSync(file, bytes)
    expect(await runTool('stats', directory)).toMatchObject({
      code: 1,
      error: expect.stringMatching(/log-1 is damaged at byte \d+ .*compact --repair/),
    })
    expect(await runTool('compact', '--repair', directory)).toMatchObject({ code: 0 })
    expect(readdirSync(directory)).toContain('log-1.damaged')
    expect(await runTool('stats', directory)).toMatchObject({
      out: expect.stringMatching(/[1-4] documents/),
    })
  })

  it('does not repair a folder in use', async () => {
    const directory = temporaryFolder()
    await start({ storage: { directory } })
    expect(await runTool('compact', '--repair', directory)).toMatchObject({
      code: 1,
      error: expect.stringContaining('is in use'),
    })
  })

  it('prints its usage', async () => {
    expect(await runTool('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('embedded-mongo export'),
    })
    expect(await runTool('exprot', 'a', 'b')).toMatchObject({ code: 2 })
    expect(await runTool('export', '--dorp', 'a', 'b')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--dorp'),
    })
  })

  it.each([
    ['stats', []],
    ['compact', []],
    ['compact', ['--repair']],
    ['export', ['files']],
  ])('%s rejects a folder without data, and creates none there', async (command, others) => {
    const parent = temporaryFolder()
    for (const folder of [parent, join(parent, 'missing')]) {
      expect(await runTool(command, folder, ...others)).toMatchObject({
        code: 1,
        error: expect.stringContaining(`${folder} is not a data folder`),
      })
    }
    expect(readdirSync(parent)).toEqual([])
  })

  it.each(['stats', 'compact'])(
    '%s requires a folder, not a connection string',
    async (command) => {
      expect(await runTool(command, 'mongodb://stranger/app')).toMatchObject({
        code: 1,
        error: expect.stringContaining('mongodb://stranger/app is not a data folder'),
      })
    },
  )

  it('reports when there is nothing to import', async () => {
    const [files, data] = [temporaryFolder(), temporaryFolder()]
    writeFileSync(join(files, 'posts.bson'), '')
    expect(await runTool('import', files, data)).toMatchObject({
      code: 1,
      error: expect.stringContaining('contains no .ndjson, .jsonl or .json file'),
    })
  })

  it('fails on a folder that cannot be created', async () => {
    const [data, file] = [temporaryFolder(), join(temporaryFolder(), 'file')]
    writeFileSync(file, '')
    writeFileSync(join(data, 'posts.ndjson'), '{"_id":1}\n')
    expect(await runTool('import', data, join(file, 'below'))).toMatchObject({
      code: 1,
      error: expect.stringContaining('Use a folder that this user can write to'),
    })
  })
})
