import { existsSync } from 'node:fs'
import { createRequire as requireFrom } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Doc, isDocument } from '../bson/document.ts'
import { acquireFolderLock } from '../host/folder-lock.ts'
import { probe, request } from '../host/request.ts'
import { startEmbeddedMongo } from '../host/start-embedded-mongo.ts'
import { openFileStore } from '../storage/file-store.ts'
import {
  exportDatabase,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'
import { importDatabase } from './import-database.ts'

interface Terminal {
  out(text: string): void
  error(text: string): void
}

const USAGE = `Usage:
  embedded-mongo export <data-folder | mongodb://…> <folder>      write every collection as Extended JSON lines
  embedded-mongo import <folder | file> <data-folder | mongodb://…>   read such files; --drop replaces collections
  embedded-mongo stats <data-folder>                               documents, bytes and indexes of every collection
  embedded-mongo compact <data-folder>                             rewrite the folder as one snapshot
                                                                   --repair keeps the data before a damaged byte
Options:
  --database <name>   the database (default: the one of the connection string, else app)
`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal)
  } catch (error) {
    terminal.error(`error: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof TypeError && 'code' in error ? 2 : 1
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      drop: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [command, first, second] = positionals
  if (values.help) {
    terminal.out(USAGE)
    return 0
  }
  if (command === 'export' && first && second) {
    requireData(first)
    const done = await withDatabase({ place: first, name: values.database }, (database) =>
      exportDatabase(database, { directory: second }),
    )
    report(terminal, 'exported', done)
  } else if (command === 'import' && first && second) {
    const done = await withDatabase({ place: second, name: values.database }, (database) =>
      importDatabase(database, { from: first, drop: values.drop }),
    )
    report(terminal, 'imported', done)
  } else if (command === 'stats' && first) await printStats(first, terminal)
  else if (command === 'compact' && first) await compactFolder(first, values.repair, terminal)
  else {
    terminal.error(USAGE)
    return 2
  }
  return 0
}

function report(terminal: Terminal, verb: string, done: TransferredCollection[]): void {
  for (const { name, documents } of done) terminal.out(`  ${verb}  ${name}  ${documents}\n`)
}

async function printStats(directory: string, terminal: Terminal): Promise<void> {
  requireDataFolder(directory)
  await withServer(directory, async (send) => {
    const { databases } = await send({ listDatabases: 1, $db: 'admin' })
    for (const name of namesOf(databases)) {
      const { cursor } = await send({
        listCollections: 1,
        cursor: { batchSize: 100_000 },
        $db: name,
      })
      const collections = isDocument(cursor) ? namesOf(cursor['firstBatch']) : []
      for (const collection of collections.toSorted()) {
        const { count, size, nindexes } = await send({ collStats: collection, $db: name })
        terminal.out(
          `${name}.${collection}  ${String(count)} documents  ${Number(size)} bytes  ${String(nindexes)} indexes\n`,
        )
      }
    }
  })
}

// The owner of the folder compacts it, when there is one.
async function compactFolder(
  directory: string,
  repair: boolean,
  terminal: Terminal,
): Promise<void> {
  requireDataFolder(directory)
  if (repair) await repairFolder(directory, terminal)
  await withServer(directory, async (send) => {
    const { ok, errmsg } = await send({ compact: 'all', $db: 'admin' })
    if (Number(ok) !== 1) throw new Error(String(errmsg))
  })
  terminal.out(`compacted ${directory}\n`)
}

async function repairFolder(directory: string, terminal: Terminal): Promise<void> {
  const lock = await acquireFolderLock(directory)
  if (!lock) throw new Error(`${directory} is in use.`)
  try {
    const warn = (message: string): void => terminal.error(`${message}\n`)
    await openFileStore({ directory, repair: true, warn }).close()
  } finally {
    await lock.release()
  }
}

async function withServer(
  directory: string,
  use: (send: (body: Doc) => Promise<Doc>) => Promise<void>,
): Promise<void> {
  const mongo = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
  const socket = await probe(mongo.uri)
  try {
    if (!socket) throw new Error(`The owner of ${directory} does not respond.`)
    await use((body) => request(socket, body))
  } finally {
    socket?.destroy()
    await mongo.stop()
  }
}

function namesOf(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.filter((item) => isDocument(item)).map((item) => String(item['name']))
}

interface Driver {
  MongoClient?: new (uri: string) => Client
}

interface Client {
  db(name?: string): TransferDatabase
  connect(): Promise<unknown>
  close(): Promise<void>
}

interface DatabaseChoice {
  // A data folder or a connection string.
  place: string
  // Defaults to the one of the connection string.
  name?: string | undefined
}

async function withDatabase<T>(
  choice: DatabaseChoice,
  use: (database: TransferDatabase) => Promise<T>,
): Promise<T> {
  const { place, name } = choice
  const mongo = isConnectionString(place)
    ? undefined
    : await startEmbeddedMongo({ storage: { directory: place }, onMessage: () => {} })
  const client = createClient(mongo?.uri ?? place)
  try {
    await client.connect()
    return await use(client.db(name))
  } finally {
    await client.close()
    await mongo?.stop()
  }
}

// Uses the application's driver or Mongoose; this package does not depend on one.
function createClient(uri: string): Client {
  const load = requireFrom(join(process.cwd(), 'package.json'))
  for (const name of ['mongodb', 'mongoose']) {
    try {
      const loaded: Driver & { mongo?: Driver } = load(name)
      const MongoClient = loaded.MongoClient ?? loaded.mongo?.MongoClient
      if (MongoClient) return new MongoClient(uri)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) {
        throw error
      }
    }
  }
  throw new Error('Neither mongodb nor mongoose is installed here: npm install mongoose')
}

function isConnectionString(place: string): boolean {
  return /^mongodb(?:\+srv)?:\/\//.test(place)
}

function requireData(place: string): void {
  if (!isConnectionString(place)) requireDataFolder(place)
}

// Opening a missing folder would create an empty database there, so a mistyped name would look like
// one whose data is gone.
function requireDataFolder(place: string): void {
  // The log is created shortly before the manifest.
  if (['manifest', 'log-1'].some((name) => existsSync(join(place, name)))) return
  throw new Error(
    `${place} is not a data folder: it has no manifest. Use the folder printed at startup, such as .data.`,
  )
}
