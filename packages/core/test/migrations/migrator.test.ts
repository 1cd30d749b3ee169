import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type Connection, type mongo } from 'mongoose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMigrator, type MigratorOptions } from '../../src/lib/migrations/migrator.ts'
import { startStandaloneProxy } from '../database/standalone-proxy.ts'
import { createMigrationFolder } from './migration-folder.ts'

let embedded: Awaited<ReturnType<typeof startEmbeddedMongo>>
let connection: Connection
let db: mongo.Db

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
})

afterAll(() => embedded.stop())

beforeEach(async () => {
  const dbName = `migrations_${randomBytes(4).toString('hex')}`
  connection = await mongoose.createConnection(embedded.uri, { dbName }).asPromise()
  db = toDatabase(connection)
})

afterEach(() => connection.close())

function toDatabase({ db: database }: Connection): mongo.Db {
  if (!database) throw new Error('not connected')
  return database
}

type Migrator = ReturnType<typeof createMigrator>

function open(directory: string, options: Partial<MigratorOptions> = {}): Migrator {
  const service = { service: 'shop', version: '1.2.3' }
  return createMigrator({ connection, directory, ...service, ...options })
}

const first = '20260101000000-add-price'
const second = '20260102000000-add-slug'

const addPrice = `{
  up: updateInBatches({
    collection: 'posts',
    filter: { price: null },
    update: { $set: { price: 1 } },
    size: 10,
  }),
  down: updateInBatches({ collection: 'posts', update: { $unset: { price: '' } }, size: 10 }),
}`
const addSlug = `{
  up: [
    async ({ db, session }) => {
      await db.collection('posts').updateMany({}, [{ $set: { slug: { $toString: '$_id' } } }], { session })
    },
    buildIndex('posts', { slug: 1 }, { unique: true }),
  ],
  down: [
    dropIndex('posts', 'slug_1'),
    async ({ db, session }) => {
      await db.collection('posts').updateMany({}, { $unset: { slug: '' } }, { session })
    },
  ],
}`
// Counts how often it was run, which must be once.
const count = `{
  async up({ db, session }) {
    await db.collection('runs').insertOne({}, { session })
  },
}`

async function insertPosts(total: number): Promise<void> {
  await db
    .collection<{ _id: number }>('posts')
    .insertMany(Array.from({ length: total }, (_, index) => ({ _id: index })))
}

describe('up', () => {
  it('applies what is pending in the order of the names, and nothing twice', async () => {
    const { directory } = createMigrationFolder({ [second]: addSlug, [first]: addPrice })
    await insertPosts(25)
    const done = await open(directory).up()
    expect(done).toMatchObject([
      { name: first, direction: 'up', documents: 25 },
      { name: second, direction: 'up', documents: 0 },
    ])
    expect(await db.collection('posts').countDocuments({ price: 1, slug: { $exists: true } })).toBe(
      25,
    )
    expect(await db.collection('posts').indexes()).toMatchObject([
      {},
      { name: 'slug_1', unique: true },
    ])
    expect(await db.collection('migrations').find().sort({ _id: 1 }).toArray()).toMatchObject([
      {
        _id: first,
        state: 'applied',
        checksum: expect.stringMatching(/^[\da-f]{16}$/),
        documents: 25,
        startedAt: expect.any(Date),
        appliedAt: expect.any(Date),
        durationMs: expect.any(Number),
        service: 'shop',
        version: '1.2.3',
      },
      { _id: second, state: 'applied' },
    ])
    expect(await open(directory).up()).toEqual([])
  })

  it('stops after the one that is named', async () => {
    const { directory } = createMigrationFolder({ [first]: addPrice, [second]: addSlug })
    expect(await open(directory).up({ to: first })).toMatchObject([{ name: first }])
    await expect(open(directory).up({ to: 'first' })).rejects.toMatchObject({
      code: 'migration_not_found',
      message: `There is no migration first. There are: ${first}, ${second}.`,
    })
  })

  it('changes nothing when code in a transaction fails, and can be corrected', async () => {
    const failing = `{
      async up({ db, session }) {
        await db.collection('runs').insertOne({}, { session })
        throw new Error('no use')
      },
    }`
    const folder = createMigrationFolder({ [first]: failing })
    await expect(open(folder.directory).up()).rejects.toMatchObject({
      code: 'migration_failed',
      message: `${first} failed (up): no use. Correct the cause and run it again; it continues after what is stored.`,
    })
    expect(await db.collection('runs').countDocuments()).toBe(0)
    expect((await open(folder.directory).status()).entries).toMatchObject([{ state: 'unfinished' }])
    rmSync(path.join(folder.directory, `${first}.ts`))
    folder.write(first, count)
    renameSync(
      path.join(folder.directory, `${first}.ts`),
      path.join(folder.directory, `${first}.mts`),
    )
    expect(await open(folder.directory).up()).toMatchObject([{ name: first }])
    expect(await db.collection('runs').countDocuments()).toBe(1)
  })

  it('continues a migration in batches after its last batch, with ids of several types', async () => {
    const failing = `{
      up: [
        updateInBatches({
          collection: 'posts',
          size: 2,
          change({ _id }, index) {
            if (_id === globalThis.failsAt) throw new Error('stopped')
            return _id === 'skipped' ? undefined : { $inc: { changes: 1 }, $set: { index } }
          },
        }),
        async ({ db, session }) => {
          await db.collection('runs').insertOne({}, { session })
        },
      ],
    }`
    const { directory } = createMigrationFolder({ [first]: failing })
    const posts = db.collection<{ _id: unknown; changes?: number }>('posts')
    const ids = [1, 2, 3, 'a', 'b', 'skipped', new mongoose.Types.ObjectId(), new Date(0)]
    await posts.insertMany(ids.map((_id) => ({ _id })))
    Object.assign(globalThis, { failsAt: 'b' })
    await expect(open(directory).up()).rejects.toThrow('stopped')
    expect(await posts.countDocuments({ changes: 1 })).toBe(4)
    expect(await open(directory).planUp()).toEqual([
      {
        name: first,
        isBegun: true,
        steps: [
          { description: 'update posts in batches', documents: 4 },
          { description: 'run code in a transaction', documents: undefined },
        ],
      },
    ])
    Object.assign(globalThis, { failsAt: undefined })
    await open(directory).up()
    expect(await posts.countDocuments({ changes: 1 })).toBe(7)
    expect(await posts.countDocuments({ changes: { $gt: 1 } })).toBe(0)
    expect(await posts.distinct('index')).toEqual([0, 1, 2, 3, 4, 6, 7])
    expect(await db.collection('runs').countDocuments()).toBe(1)
  })

  it('reports its progress with an estimate', async () => {
    const { directory } = createMigrationFolder({ [first]: addPrice })
    await insertPosts(25)
    const seen: unknown[] = []
    await open(directory, { onProgress: (progress) => seen.push(progress) }).up()
    expect(seen).toMatchObject([
      { name: first, step: 1, steps: 1, documents: 10, total: 25, remainingMs: expect.any(Number) },
      { documents: 20 },
      { documents: 25, remainingMs: 0 },
    ])
  })

  it('stops between two batches when it is interrupted', async () => {
    const { directory } = createMigrationFolder({ [first]: addPrice })
    await insertPosts(25)
    const stop = new AbortController()
    const run = open(directory, { signal: stop.signal, onProgress: () => stop.abort() })
    await expect(run.up()).rejects.toMatchObject({ code: 'migration_stopped' })
    expect(await db.collection('posts').countDocuments({ price: 1 })).toBe(10)
    expect(await open(directory).up()).toMatchObject([{ documents: 15 }])
  })
})

describe('a plan', () => {
  it('counts the documents of each step and changes nothing', async () => {
    const { directory } = createMigrationFolder({ [first]: addPrice, [second]: addSlug })
    await insertPosts(12)
    expect(await open(directory).planUp()).toEqual([
      {
        name: first,
        isBegun: false,
        steps: [{ description: 'update posts in batches', documents: 12 }],
      },
      {
        name: second,
        isBegun: false,
        steps: [
          { description: 'run code in a transaction', documents: undefined },
          { description: 'build index slug_1 of posts', documents: 12 },
        ],
      },
    ])
    expect(await db.collection('migrations').countDocuments()).toBe(0)
    await open(directory).up()
    expect(await open(directory).planDown({ count: 2 })).toMatchObject([
      { name: second },
      { name: first, steps: [{ documents: 12 }] },
    ])
  })
})

describe('down and redo', () => {
  it('revert the last ones, in the reverse order', async () => {
    const { directory } = createMigrationFolder({ [first]: addPrice, [second]: addSlug })
    await insertPosts(12)
    const migrator = open(directory)
    await migrator.up()
    expect(await migrator.down()).toMatchObject([{ name: second, direction: 'down' }])
    expect(await db.collection('posts').indexes()).toHaveLength(1)
    expect((await migrator.status()).entries).toMatchObject([
      { state: 'applied' },
      { state: 'pending' },
    ])
    expect(await migrator.redo()).toMatchObject([
      { name: first, direction: 'down', documents: 12 },
      { name: first, direction: 'up', documents: 12 },
    ])
    await migrator.up()
    expect(await migrator.down({ count: 9 })).toMatchObject([{ name: second }, { name: first }])
    expect(await db.collection('posts').countDocuments({ price: 1 })).toBe(0)
  })

  it('are refused without a down', async () => {
    const { directory } = createMigrationFolder({ [first]: count })
    const migrator = open(directory)
    await migrator.up()
    await expect(migrator.down()).rejects.toMatchObject({
      code: 'migration_irreversible',
      message: `${first} has no down, so it cannot be reverted. Write a new migration that undoes it, or restore a backup.`,
    })
    expect((await migrator.status()).entries).toMatchObject([{ state: 'applied' }])
  })
})

describe('the history', () => {
  it('refuses edited files, until the edit is accepted', async () => {
    const folder = createMigrationFolder({ [first]: count })
    const migrator = open(folder.directory)
    await migrator.up()
    folder.write(first, count.replace('runs', 'walks'))
    await expect(migrator.up()).rejects.toMatchObject({
      code: 'migration_history',
      message: `The files and the database do not agree; nothing was changed:
  ${first} was edited after it was applied. Restore the file from version control and write a new migration for the change; if the edit changes nothing that it does: npx api migrate up --accept ${first}`,
    })
    expect(await migrator.up({ accept: [first] })).toEqual([])
    expect((await migrator.status()).entries).toMatchObject([{ state: 'applied' }])
    await expect(migrator.up({ accept: ['other'] })).rejects.toThrow('There is no migration other')
  })

  it('does not count line ends, trailing spaces and byte order marks as edits', async () => {
    const folder = createMigrationFolder({ [first]: count })
    const migrator = open(folder.directory)
    await migrator.up()
    const file = path.join(folder.directory, `${first}.ts`)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, `\uFEFF${text.replaceAll('\n', '  \r\n')}\r\n`)
    expect(await migrator.up()).toEqual([])
  })

  it('has the checksum of the source for compiled code', async () => {
    const folder = createMigrationFolder({ [first]: count })
    await open(folder.directory).up()
    const compiled = createMigrationFolder()
    const source = readFileSync(path.join(folder.directory, `${first}.ts`), 'utf8')
    const script = path.join(compiled.directory, `${first}.js`)
    writeFileSync(script, `export default {}\n//# sourceMappingURL=${first}.js.map\n`)
    const map = { version: 3, sources: [`../../src/migrations/${first}.ts`] }
    writeFileSync(`${script}.map`, JSON.stringify({ ...map, sourcesContent: [source] }))
    expect((await open(compiled.directory).status()).entries).toMatchObject([{ state: 'applied' }])
    writeFileSync(`${script}.map`, JSON.stringify(map))
    await expect(open(compiled.directory).status()).rejects.toMatchObject({
      code: 'migration_files',
      message: expect.stringContaining('Set "inlineSources": true'),
    })
  })

  it('refuses missing files, until they are accepted', async () => {
    const folder = createMigrationFolder({ [first]: count, [second]: count })
    const migrator = open(folder.directory)
    await migrator.up()
    rmSync(path.join(folder.directory, `${second}.ts`))
    await expect(migrator.up()).rejects.toThrow(
      `${second} was applied, and its file is missing. Restore the file from version control`,
    )
    await expect(migrator.down()).rejects.toThrow('its file is missing')
    await migrator.up({ accept: [second] })
    expect((await migrator.status()).entries).toMatchObject([{ name: first, state: 'applied' }])
  })

  it('says of a missing file whose migration failed that it was not completed', async () => {
    const failing = `{ up() { throw new Error('no use') } }`
    const folder = createMigrationFolder({ [first]: count, [second]: failing })
    const migrator = open(folder.directory)
    await expect(migrator.up()).rejects.toThrow('no use')
    rmSync(path.join(folder.directory, `${second}.ts`))
    await expect(migrator.up()).rejects.toThrow(
      `${second} was begun but not completed, and its file is missing. Restore the file from version control; to forget the migration without reverting it: npx api migrate up --accept ${second}`,
    )
    expect(await migrator.up({ accept: [second] })).toEqual([])
    expect((await migrator.status()).entries).toMatchObject([{ name: first, state: 'applied' }])
  })

  it('refuses files that are older than what was applied, until they are accepted', async () => {
    const folder = createMigrationFolder({ [second]: count })
    const migrator = open(folder.directory)
    await migrator.up()
    folder.write(first, count)
    await expect(migrator.up()).rejects.toThrow(
      `${first} is older than ${second}, which was applied before. Rename the file to a time after it`,
    )
    expect(await migrator.up({ accept: [first] })).toMatchObject([{ name: first }])
    expect(await migrator.up()).toEqual([])
  })

  it('refuses to go up while a migration is partly reverted', async () => {
    const folder = createMigrationFolder({
      [first]: `{
        async up({ db, session }) { await db.collection('runs').insertOne({}, { session }) },
        down: [async () => {}, async () => { throw new Error('no use') }],
      }`,
    })
    const migrator = open(folder.directory)
    await migrator.up()
    await expect(migrator.down()).rejects.toThrow('no use')
    await expect(migrator.up()).rejects.toThrow(
      `${first} is partly reverted. Finish that first: npx api migrate down`,
    )
  })

  it.each([
    ['two files of the same time', '20260101000000-b.ts', 'have the same time. Give one of them'],
    [
      'a file that was compiled beside its source',
      `${first}.js`,
      'Delete the one that is left over',
    ],
    ['a name without a time', 'add-price.ts', 'add-price.ts has no name like 20261121190301-add-'],
  ])('refuses %s', async (_, name, message) => {
    const { directory } = createMigrationFolder({ [first]: count })
    writeFileSync(path.join(directory, name), '')
    await expect(open(directory).up()).rejects.toMatchObject({
      code: 'migration_files',
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['cannot be parsed', 'export default {', 'cannot be loaded: '],
    ['exports something else', 'export default {}', 'has no default export of defineMigration'],
  ])('refuses a file that %s', async (_, text, message) => {
    const { directory } = createMigrationFolder()
    writeFileSync(path.join(directory, `${first}.ts`), text)
    await expect(open(directory).up()).rejects.toMatchObject({
      code: 'migration_files',
      message: expect.stringContaining(`The migration ${first} ${message}`),
    })
  })

  it('ignores declarations and tests in the folder', async () => {
    const { directory } = createMigrationFolder({ [first]: count })
    writeFileSync(path.join(directory, `${first}.d.ts`), '')
    writeFileSync(path.join(directory, `${first}.test.ts`), '')
    expect(await open(directory).up()).toHaveLength(1)
  })
})

describe('indexes', () => {
  it('are hidden, shown and dropped by their steps', async () => {
    const folder = createMigrationFolder({
      [first]: `{ up: buildIndex('posts', { price: 1 }, { hidden: true }) }`,
      [second]: `{
        up: showIndex('posts', 'price_1'),
        down: hideIndex('posts', 'price_1'),
      }`,
      '20260103000000-drop-price': `{ up: [dropIndex('posts', 'price_1'), dropIndex('posts', 'price_1')] }`,
    })
    const migrator = open(folder.directory)
    const hidden = async (): Promise<unknown> => {
      const indexes = await db.collection('posts').indexes()
      return indexes.find(({ name }) => name === 'price_1')?.hidden ?? false
    }
    await migrator.up({ to: first })
    expect(await hidden()).toBe(true)
    await migrator.up({ to: second })
    expect(await hidden()).toBe(false)
    await migrator.down()
    expect(await hidden()).toBe(true)
    await migrator.up()
    expect(await db.collection('posts').indexes()).toHaveLength(1)
  })

  it('that are unique name the values that several documents have', async () => {
    const { directory } = createMigrationFolder({
      [first]: `{ up: buildIndex('posts', { slug: 1 }, { unique: true }) }`,
    })
    await db.collection('posts').insertMany([{ slug: 'a' }, { slug: 'a' }])
    await expect(open(directory).up()).rejects.toThrow(
      /^20260101000000-add-price failed \(up\): The unique index on slug of posts cannot be built, because several documents have the same values: .*"a"/,
    )
  })

  it('that do not exist cannot be hidden', async () => {
    const { directory } = createMigrationFolder({ [first]: `{ up: hideIndex('posts', 'x_1') }` })
    await expect(open(directory).up()).rejects.toThrow('posts has no index x_1')
  })
})

describe('a server without transactions', () => {
  it('runs all steps, and continues batches', async () => {
    const proxy = await startStandaloneProxy(Number(new URL(embedded.uri).port))
    const { directory } = createMigrationFolder({
      [first]: addPrice,
      [second]: addSlug,
      '20260103000000-create': `{ up: outsideTransaction(async ({ db, session }) => {
        if (session) throw new Error('a session')
        await db.createCollection('logs')
      }) }`,
    })
    await insertPosts(25)
    const dbName = connection.name
    await connection.close()
    try {
      connection = await mongoose.createConnection(proxy.uri, { dbName }).asPromise()
      db = toDatabase(connection)
      const stop = new AbortController()
      const run = open(directory, { signal: stop.signal, onProgress: () => stop.abort() })
      await expect(run.up()).rejects.toMatchObject({ code: 'migration_stopped' })
      expect(await open(directory).up()).toMatchObject([{ documents: 15 }, {}, {}])
      expect(await open(directory).down().catch(String)).toContain('has no down')
    } finally {
      await connection.close()
      await proxy.stop()
    }
  })
})
