import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi, createRegistry, withDatabase } from '../../src/index.ts'
import { createMigrations, runMigrations } from '../../src/migrations.ts'
import { createMigrationFolder } from './migration-folder.ts'

const name = '20260101000000-add-runs'
const insert = `{
  async up({ db, session }) {
    await db.collection('runs').insertOne({}, { session })
  },
}`

let embedded: Awaited<ReturnType<typeof startEmbeddedMongo>>
let api: Api | undefined
let log: Record<string, unknown>[] = []

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
})

afterEach(() => api?.stop())

afterAll(() => embedded.stop())

interface Settings {
  readonly directory: string
  readonly onPending?: 'fail' | 'warn' | 'run'
  readonly environment?: 'production' | 'test'
}

function create({ directory, environment = 'production', onPending }: Settings): Api {
  log = []
  api = createApi({
    routes: createRegistry(),
    auth: false,
    environment,
    server: { drainDelay: 0, host: '127.0.0.1' },
    database: { uri: embedded.uri, name: `start_${randomBytes(4).toString('hex')}` },
    migrations: createMigrations({ directory: pathToFileURL(directory), onPending }),
    log: {
      level: 'info',
      format: 'json',
      stream: { write: (text) => void log.push(JSON.parse(text)) },
    },
  })
  return api
}

function messages(): unknown[] {
  return log.map(({ msg }) => msg)
}

const start = { port: 0, signals: false }
const pending = `1 migration is pending: ${name}. Apply them before this version starts: npx api migrate up, or start one process with MIGRATIONS_ON_PENDING=run.`

describe('a start with pending migrations', () => {
  it('fails in production, with the command to run', async () => {
    const { directory } = createMigrationFolder({ [name]: insert })
    await expect(create({ directory }).start(start)).rejects.toThrow(pending)
  })

  it('warns in tests and in development', async () => {
    const { directory } = createMigrationFolder({ [name]: insert })
    const { database } = await create({ directory, environment: 'test' }).start(start)
    expect(log).toContainEqual(expect.objectContaining({ msg: pending, migrations: [name] }))
    expect(await database?.connection.collection('runs').countDocuments()).toBe(0)
  })

  it('applies them before the indexes are built, where the option says so', async () => {
    const model = mongoose.model(
      `Slugged${randomBytes(4).toString('hex')}`,
      new mongoose.Schema({ slug: { type: String, unique: true } }, { collection: 'slugged' }),
    )
    const { directory } = createMigrationFolder({
      [name]: `{
        async up({ db }) {
          const indexes = await db.collection('slugged').indexes().catch(() => [])
          await db.collection('runs').insertOne({ indexes: indexes.length })
        },
      }`,
    })
    const { database } = await create({ directory, onPending: 'run' }).start(start)
    const run = await database?.connection.collection('runs').findOne()
    expect(run).toMatchObject({ indexes: 0 })
    expect(await model.collection.indexes()).toHaveLength(2)
    expect(messages()).toEqual(expect.arrayContaining(['migration started', 'migration done']))
    mongoose.deleteModel(model.modelName)
  })

  it('says nothing when there are none, or no folder', async () => {
    const { directory } = createMigrationFolder()
    await create({ directory: `${directory}/none`, environment: 'test' }).start(start)
    expect(messages().join()).not.toContain('migration')
  })
})

describe('a start with a history that does not agree', () => {
  it('accepts migrations of a newer version, which is a rolling update or was undone', async () => {
    const { directory } = createMigrationFolder()
    const older = create({ directory })
    await storeRecord(older, { checksum: 'any' })
    await older.start(start)
    expect(log).toContainEqual(
      expect.objectContaining({
        msg: 'the database has migrations of a newer version',
        migrations: [name],
      }),
    )
  })

  it.each(['fail', 'run'] as const)('refuses edited migrations with %s', async (onPending) => {
    const { directory } = createMigrationFolder({ [name]: insert })
    const edited = create({ directory, onPending })
    await storeRecord(edited, { checksum: 'other' })
    await expect(edited.start(start)).rejects.toThrow(`${name} was edited after it was applied`)
  })

  it('warns of edited migrations where pending ones are warned of', async () => {
    const { directory } = createMigrationFolder({ [name]: insert })
    const edited = create({ directory, environment: 'test' })
    await storeRecord(edited, { checksum: 'other' })
    await edited.start(start)
    expect(messages()).toContain('the migrations cannot be compared with the database')
  })
})

function storeRecord(target: Api, record: object): Promise<void> {
  return withDatabase(target, async ({ db }) => {
    const records = db?.collection<{ _id: string; state: string; step: number }>('migrations')
    await records?.insertOne({ _id: name, state: 'applied', step: 1, ...record })
  })
}

describe('runMigrations', () => {
  it('applies them without starting the API', async () => {
    const { directory } = createMigrationFolder({ [name]: insert })
    const done = await runMigrations(create({ directory }))
    expect(done).toMatchObject([{ name, direction: 'up' }])
  })

  it('stops when its signal is aborted', async () => {
    const { directory } = createMigrationFolder({ [name]: insert })
    const run = runMigrations(create({ directory }), { signal: AbortSignal.abort() })
    await expect(run).rejects.toMatchObject({ code: 'migration_stopped' })
  })

  it('needs the folder', async () => {
    const config = { routes: createRegistry(), auth: false, environment: 'test' } as const
    const without = createApi({ ...config, database: { uri: 'embedded:memory' } })
    await expect(runMigrations(without)).rejects.toThrow(
      "This API has no migrations: createApi({ migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }) })",
    )
  })
})
