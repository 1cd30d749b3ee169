import { parseArgs } from 'node:util'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { errorText } from '../errors/error-text.ts'
import { acquireFolderLock } from '../host/folder-lock.ts'
import { probe, request } from '../host/request.ts'
import { startEmbeddedMongo } from '../host/start-embedded-mongo.ts'
import { openFileStore } from '../storage/file-store.ts'
import { exportDatabase, type TransferDatabase } from './export-database.ts'
import { importDatabase } from './import-database.ts'
import { requireData, requireDataFolder, withClient } from './open-client.ts'
import { runDump, runRestore } from './run-dump.ts'
import { runServe } from './run-serve.ts'
import { type Arguments, namesOf, report, type Terminal } from './terminal.ts'

const usage = `Usage:
  embedded-mongo serve                                             serve on 127.0.0.1 until Ctrl-C, in memory
                                                                   --data <folder> keeps the data, --port <port> (default: 27017)
  embedded-mongo export <data-folder | mongodb://…> <folder>      write every collection as Extended JSON lines
  embedded-mongo import <folder | file> <data-folder | mongodb://…>   read such files; --drop replaces collections
  embedded-mongo dump <data-folder | mongodb://…> <folder>        write every database as mongodump does; --gzip compresses
  embedded-mongo restore <folder> <data-folder | mongodb://…>     read what mongodump has written; --drop replaces collections
  embedded-mongo stats <data-folder>                               documents, bytes and indexes of every collection
  embedded-mongo compact <data-folder>                             rewrite the folder as one snapshot
                                                                   --repair keeps the data before a damaged byte
Options:
  --database <name>   the database (default: the one of the connection string, else app;
                      for dump all of them, for restore those of the dump)
`

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal)
  } catch (error) {
    terminal.error(`error: ${errorText(error)}\n`)
    return error instanceof TypeError && 'code' in error ? 2 : 1
  }
}

interface Tool {
  readonly arguments: 0 | 1 | 2
  readonly run: (args: Arguments, terminal: Terminal) => Promise<void>
}

const tools: Readonly<Record<string, Tool>> = {
  serve: { arguments: 0, run: runServe },
  export: { arguments: 2, run: runExport },
  import: { arguments: 2, run: runImport },
  dump: { arguments: 2, run: runDump },
  restore: { arguments: 2, run: runRestore },
  stats: { arguments: 1, run: ({ first }, terminal) => printStats(first, terminal) },
  compact: {
    arguments: 1,
    run: ({ first, repair }, terminal) => compactFolder(first, repair, terminal),
  },
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      data: { type: 'string' },
      port: { type: 'string', default: '27017' },
      drop: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
      gzip: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { help, database, data, ...flags } = values
  if (help) {
    terminal.out(usage)
    return 0
  }
  const [command = '', first = '', second = ''] = positionals
  const tool = lookUp(tools, command)
  if (!tool || positionals.length < tool.arguments + 1) {
    terminal.error(usage)
    return 2
  }
  await tool.run({ first, second, database, data, ...flags }, terminal)
  return 0
}

async function runExport(
  { first, second, database }: Arguments,
  terminal: Terminal,
): Promise<void> {
  requireData(first)
  const done = await withDatabase({ place: first, name: database }, (source) =>
    exportDatabase(source, { directory: second }),
  )
  report(terminal, 'exported', done)
}

async function runImport(args: Arguments, terminal: Terminal): Promise<void> {
  const { first, second, database, drop } = args
  const done = await withDatabase({ place: second, name: database }, (target) =>
    importDatabase(target, { from: first, drop }),
  )
  report(terminal, 'imported', done)
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

interface DatabaseChoice {
  // A data folder or a connection string.
  place: string
  // Defaults to the one of the connection string.
  name?: string | undefined
}

function withDatabase<T>(
  { place, name }: DatabaseChoice,
  use: (database: TransferDatabase) => Promise<T>,
): Promise<T> {
  return withClient(place, (client) => use(client.db(name)))
}
