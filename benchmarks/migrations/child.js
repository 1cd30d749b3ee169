// One process that applies the migrations of a folder with one tool, as its documentation describes.
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [tool, uri, databaseName, directory, lockSeconds] = process.argv.slice(2)

const tools = { ours, 'migrate-mongo': migrateMongo, umzug }
try {
  await tools[tool]()
  process.send({ done: true })
} catch (error) {
  process.send({ failed: error.message })
}
process.exit()

async function ours() {
  const { createApi, createRegistry } = await import('@create-api/core')
  const { withMigrator } = await import('@create-api/core/internal')
  const { createMigrations } = await import('@create-api/core/migrations')
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    environment: 'test',
    database: { uri, name: databaseName },
    migrations: createMigrations({ directory }),
  })
  const leaseMs = lockSeconds === 'default' ? undefined : Number(lockSeconds) * 1000
  await withMigrator(api, { leaseMs }, (migrator) => migrator.up())
}

async function migrateMongo() {
  const { config, database, up } = await import('migrate-mongo')
  config.set({
    mongodb: { url: uri, databaseName, options: {} },
    migrationsDir: directory,
    changelogCollectionName: 'changelog',
    lockCollectionName: 'changelog_lock',
    lockTtl: lockSeconds === 'default' ? 0 : Number(lockSeconds),
    migrationFileExtension: '.js',
    useFileHash: false,
    moduleSystem: 'esm',
  })
  const { client, db } = await database.connect()
  await up(db, client)
}

async function umzug() {
  const { MongoDBStorage, Umzug } = await import('umzug')
  const { MongoClient } = await import('mongodb')
  const client = await MongoClient.connect(uri)
  const db = client.db(databaseName)
  const runner = new Umzug({
    migrations: {
      glob: path.join(directory, '*.js'),
      resolve: ({ context, name, path: file }) => ({
        name,
        up: async () => (await import(pathToFileURL(file).href)).up(context),
      }),
    },
    context: db,
    storage: new MongoDBStorage({ collection: db.collection('migrations') }),
    logger: undefined,
  })
  await runner.up()
}
