import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  Binary,
  BSON,
  BSONRegExp,
  Code,
  type Db,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start, temporaryFolder } from '../../../test/fresh-server.ts'
import { dumpDatabase, restoreDatabase } from '../../transfer.ts'
import { run } from './run.ts'

const everyType = {
  _id: new Int32(1),
  double: new Double(1),
  negativeZero: new Double(-0),
  nan: new Double(Number.NaN),
  string: 'a\0é\u{1F600}',
  object: { z: new Int32(1), a: { deep: [] } },
  array: [new Int32(1), [new Double(2)], {}],
  binary: new Binary(Buffer.from([0, 255]), 128),
  uuid: new UUID('00112233-4455-6677-8899-aabbccddeeff'),
  objectId: new ObjectId('0123456789abcdef01234567'),
  true: true,
  date: new Date(-1),
  null: null,
  regex: new BSONRegExp('^a', 'im'),
  code: new Code('x'),
  int: new Int32(-1),
  timestamp: new Timestamp({ t: 1, i: 2 }),
  long: Long.fromString('9007199254740993'),
  decimal: Decimal128.fromString('1.10'),
  min: new MinKey(),
  max: new MaxKey(),
  reference: new DBRef('things', new ObjectId('0123456789abcdef01234567')),
}

// A database with each option that indexes and collections have.
async function fill(db: Db): Promise<void> {
  const things = db.collection('things')
  await things.insertOne(everyType as unknown as Document)
  await things.insertMany(Array.from({ length: 2500 }, (_, n) => ({ n, text: 'x'.repeat(500) })))
  await things.createIndexes([
    { key: { n: 1 }, name: 'n_1', unique: true, sparse: true },
    { key: { a: 1, b: -1 }, name: 'ab', collation: { locale: 'de', strength: 2 } },
    { key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 },
    { key: { c: 1 }, name: 'partial', partialFilterExpression: { c: { $gt: 1 } } },
    { key: { d: 'hashed' }, name: 'hashed' },
    { key: { e: 1 }, name: 'hidden', hidden: true },
    { key: { text: 'text' }, name: 'search', weights: { text: 5 }, default_language: 'german' },
    { key: { place: '2dsphere' }, name: 'place' },
  ])
  await db.createCollection('people/ü', {
    collation: { locale: 'en', strength: 2 },
    validator: { $jsonSchema: { required: ['name'] } },
    validationAction: 'warn',
  })
  await db.createCollection('logs', { capped: true, size: 8192, max: 10 })
  await db.createCollection('images', { changeStreamPreAndPostImages: { enabled: true } })
}

async function contents(db: Db): Promise<unknown> {
  const found = await db.listCollections({}, { nameOnly: false }).toArray()
  const names = found.map(({ name }) => name).toSorted()
  return Promise.all(
    names.map(async (name) => ({
      name,
      options: found.find((one) => one.name === name && 'options' in one),
      indexes: await db.collection(name).indexes(),
      documents: await db.collection(name).find({}, { raw: true }).toArray(),
    })),
  ).then((all) =>
    all.map(({ options, ...one }) => ({
      ...one,
      options: options && 'options' in options ? options['options'] : {},
    })),
  )
}

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

describe('dumpDatabase and restoreDatabase', () => {
  it.each([false, true])('copy every type, option and index (gzip: %s)', async (gzip) => {
    const [source, target] = [await freshDatabase(), await freshDatabase()]
    await fill(source)
    const directory = join(temporaryFolder(), 'dump')
    const done = await dumpDatabase(source, { directory, gzip })
    expect(done).toEqual([
      { name: 'images', documents: 0 },
      { name: 'logs', documents: 0 },
      { name: 'people/ü', documents: 0 },
      { name: 'things', documents: 2501 },
    ])
    expect(await restoreDatabase(target, { from: join(directory, source.databaseName) })).toEqual(
      done,
    )
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('writes the files of mongodump', async () => {
    const source = await freshDatabase()
    await source.collection('a/b').insertOne({ _id: 1 as never, n: new Double(2) })
    const directory = join(temporaryFolder(), 'dump')
    await dumpDatabase(source, { directory })
    const folder = join(directory, source.databaseName)
    expect(readdirSync(folder)).toEqual(['a%2Fb.bson', 'a%2Fb.metadata.json'])
    expect(BSON.deserialize(readFileSync(join(folder, 'a%2Fb.bson')))).toEqual({ _id: 1, n: 2 })
    expect(readFileSync(join(folder, 'a%2Fb.metadata.json'), 'utf8')).toBe(
      '{"collectionName":"a/b","type":"collection","options":{},"indexes":[{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"}]}',
    )
  })

  it('reads what mongodump has written', async () => {
    const target = await freshDatabase()
    const folder = temporaryFolder()
    const documents = [{ _id: 1 }, { _id: 2, a: 'x' }].map((one) => BSON.serialize(one))
    writeFileSync(join(folder, 'posts.bson'), Buffer.concat(documents))
    writeFileSync(
      join(folder, 'posts.metadata.json'),
      '{"indexes":[{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"},{"v":{"$numberInt":"2"},"key":{"a":{"$numberDouble":"1.0"}},"name":"a_1","sparse":true}],"uuid":"b0a1f2c0d3e44f5a8b6c7d8e9f001122","collectionName":"posts","type":"collection"}',
    )
    expect(await restoreDatabase(target, { from: folder })).toEqual([
      { name: 'posts', documents: 2 },
    ])
    expect(await target.collection('posts').indexes()).toMatchObject([
      { name: '_id_' },
      { name: 'a_1', sparse: true },
    ])
  })

  it('leaves nothing behind when it fails, and never changes a folder that is not empty', async () => {
    const source = await freshDatabase()
    await source.collection('posts').insertMany(Array.from({ length: 1500 }, (_, n) => ({ n })))
    const parent = temporaryFolder()
    const directory = join(parent, 'dump')
    await source.admin().command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['getMore'], errorCode: 8000 },
    })
    await expect(dumpDatabase(source, { directory })).rejects.toThrow()
    expect(readdirSync(parent)).toEqual([])
    mkdirSync(directory)
    await dumpDatabase(source, { directory })
    expect(readdirSync(parent)).toEqual(['dump'])
    await expect(dumpDatabase(source, { directory })).rejects.toThrow(
      `${directory} is not empty. Remove it, or choose another folder for the dump.`,
    )
  })

  it('reports damaged files with their byte, and documents that are rejected', async () => {
    const target = await freshDatabase()
    const folder = temporaryFolder()
    const file = join(folder, 'posts.bson')
    const document = BSON.serialize({ _id: 1, a: 'text' })
    const restore = (): Promise<unknown> => restoreDatabase(target, { from: folder, drop: true })
    writeFileSync(file, Buffer.concat([document, document]))
    await expect(restore()).rejects.toThrow(`${file}: document 2: E11000`)
    truncateSync(file, document.length + 7)
    await expect(restore()).rejects.toThrow(
      `${file} ends within a document that begins at ${document.length}.`,
    )
    writeFileSync(file, Buffer.concat([document, Buffer.alloc(8)]))
    await expect(restore()).rejects.toThrow(`${file} is damaged at byte ${document.length}`)
    writeFileSync(join(folder, 'posts.metadata.json'), '{')
    await expect(restore()).rejects.toThrow(`${join(folder, 'posts.metadata.json')}: `)
    await expect(restoreDatabase(target, { from: temporaryFolder() })).rejects.toThrow(
      'contains no .bson file',
    )
  })

  it('replaces a collection only with drop', async () => {
    const target = await freshDatabase()
    await target.collection('posts').insertOne({ _id: 9 as never })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'posts.bson'), BSON.serialize({ _id: 1 }))
    await expect(restoreDatabase(target, { from: folder })).rejects.toThrow(
      'posts already exists. Use --drop to replace it, or another database.',
    )
    await restoreDatabase(target, { from: folder, drop: true })
    expect(await target.collection('posts').find().toArray()).toEqual([{ _id: 1 }])
  })
})

describe('embedded-mongo dump and restore', () => {
  it('copy all databases of a folder, also while it is in use', async () => {
    const [data, restored] = [temporaryFolder(), temporaryFolder()]
    const out = join(temporaryFolder(), 'dump')
    const mongo = await start({ storage: { directory: data } })
    const client = await connect(mongo.uri)
    await fill(client.db('app'))
    await client.db('other').collection('a').insertOne({ n: 1 })
    expect(await runTool('dump', data, out, '--gzip')).toMatchObject({
      code: 0,
      error: `${data} is in use: the dump has the state of now, without later writes.\n`,
      out: expect.stringContaining('  dumped  app.things  2501\n  dumped  other.a  1\n'),
    })
    const file = readFileSync(join(out, 'app', 'images.metadata.json.gz'))
    expect(gunzipSync(file).toString()).toContain('"collectionName":"images"')
    expect(await runTool('restore', out, restored)).toMatchObject({ code: 0, error: '' })
    const copy = await start({ storage: { directory: restored } })
    const copied = await connect(copy.uri)
    expect(await contents(copied.db('app'))).toEqual(await contents(client.db('app')))
    expect(await copied.db('other').collection('a').countDocuments()).toBe(1)
    expect(await runTool('restore', out, restored)).toMatchObject({
      code: 1,
      error: expect.stringContaining('Use --drop'),
    })
    expect(await runTool('restore', out, restored, '--drop')).toMatchObject({ code: 0 })
  })

  it('restore one database under another name', async () => {
    const data = temporaryFolder()
    const out = join(temporaryFolder(), 'dump')
    const { uri } = await start()
    const client = await connect(uri)
    await client.db('app').collection('a').insertOne({ n: 1 })
    await client.db('other').collection('b').insertOne({ n: 1 })
    expect(await runTool('dump', uri, out, '--database', 'app')).toMatchObject({ code: 0 })
    expect(readdirSync(out)).toEqual(['app'])
    expect(await runTool('restore', join(out, 'app'), data, '--database', 'shop')).toEqual({
      code: 0,
      error: '',
      out: '  restored  shop.a  1\n',
    })
  })

  it('say what is missing', async () => {
    const [empty, parent] = [temporaryFolder(), temporaryFolder()]
    const { uri } = await start()
    const out = join(parent, 'dump')
    const failing = async (...argv: string[]): Promise<string> => {
      const { code, error } = await runTool(...argv)
      expect(code).toBe(1)
      return error
    }
    expect(await failing('dump', empty, out)).toContain(`${empty} is not a data folder`)
    expect(await failing('dump', uri, out)).toContain('has no database. It is empty.')
    const client = await connect(uri)
    await client.db('app').collection('a').insertOne({ n: 1 })
    expect(await failing('dump', uri, out, '--database', 'ap')).toContain(
      'has no database ap. It has app.',
    )
    expect(existsSync(out)).toBe(false)
    expect(await failing('restore', join(parent, 'none'), uri)).toContain('is not a folder')
    expect(await failing('restore', empty, uri)).toContain('contains no dump')
    mkdirSync(`${out}.incomplete`)
    expect(await failing('restore', `${out}.incomplete`, uri)).toContain('was interrupted')
    await runTool('dump', uri, out)
    expect(await failing('restore', out, uri, '--database', 'ap')).toContain(
      'has no database ap. It has app.',
    )
  })
})
