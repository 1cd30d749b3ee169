import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EJSON } from 'bson'
import { decode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { readBson, readText } from './bson-file.ts'
import {
  type CollectionMetadata,
  listMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'
import { ignoreMissing } from './import-database.ts'

const BATCH_DOCUMENTS = 1000
const BATCH_BYTES = 8 * 1024 * 1024
const FILE = /\.bson(?:\.gz)?$/
const INTERNAL = new Set(['admin', 'config', 'local'])

/** Options of {@link restoreDatabase}. */
export interface RestoreOptions {
  /** The folder of one database: that of `mongodump` with the name of the database below it. */
  from: string
  /**
   * Drop each collection before restoring it; otherwise a collection that exists is an error.
   * @default false
   */
  drop?: boolean | undefined
}

/**
 * Reads what `mongodump` or `dumpDatabase` has written, with or without gzip: documents, options and
 * indexes.
 * @param database - the database to write; any MongoDB server
 * @param options - the folder to read
 * @returns the restored collections
 * @throws {Error} if there is nothing to read, a collection exists, a file is damaged (the message
 * has file and byte) or a document is rejected
 */
export async function restoreDatabase(
  database: TransferDatabase,
  options: RestoreOptions,
): Promise<TransferredCollection[]> {
  const files = listFiles(options.from)
  if (files.length === 0) throw new Error(`${options.from} contains no .bson file.`)
  if (options.drop !== true) await requireMissing(database, files)
  const done: TransferredCollection[] = []
  for (const file of files) {
    const name = toName(file)
    const metadata = await readMetadata(file)
    if (options.drop === true) await database.command({ drop: name }).catch(ignoreMissing)
    await database.command({ create: name, ...metadata?.options })
    const documents = await insertAll(database, name, file)
    const indexes = metadata?.indexes.filter((index) => index['name'] !== '_id_') ?? []
    if (indexes.length > 0) await database.command({ createIndexes: name, indexes })
    done.push({ name, documents })
  }
  return done
}

// The folders of databases in a dump, by name; a folder that contains .bson files is one itself.
export function listDumped(from: string): Map<string, string> {
  if (!existsSync(from) || !statSync(from).isDirectory()) {
    throw new Error(`${from} is not a folder. Name the folder that mongodump has written.`)
  }
  if (from.endsWith('.incomplete')) {
    throw new Error(`${from} is a dump that was interrupted. Run the dump again.`)
  }
  const own = listFiles(from).filter((file) => toName(file) !== 'oplog')
  if (own.length > 0) return new Map([[basename(from), from]])
  const names = readdirSync(from).filter((name) => !INTERNAL.has(name))
  const folders = names.map((name): [string, string] => [name, join(from, name)])
  const found = folders.filter(([, path]) => statSync(path).isDirectory() && listFiles(path).length)
  if (found.length > 0) return new Map(found)
  throw new Error(`${from} contains no dump: it has no folder with .bson files.`)
}

function listFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => FILE.test(name) && !name.startsWith('system.'))
  return names.toSorted().map((name) => join(folder, name))
}

function toName(file: string): string {
  return decodeURIComponent(basename(file).replace(FILE, ''))
}

async function readMetadata(file: string): Promise<CollectionMetadata | undefined> {
  const end = file.endsWith('.gz') ? '.gz' : ''
  const path = file.replace(FILE, `.metadata.json${end}`)
  if (!existsSync(path)) return undefined
  try {
    const metadata: CollectionMetadata = EJSON.parse(await readText(path), { relaxed: false })
    return metadata
  } catch (cause) {
    throw new Error(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

async function requireMissing(database: TransferDatabase, files: string[]): Promise<void> {
  const existing = new Set((await listMetadata(database)).map((one) => one.collectionName))
  const taken = files.map((file) => toName(file)).filter((name) => existing.has(name))
  if (taken.length === 0) return
  throw new Error(
    `${taken.join(', ')} already exists. Use --drop to replace it, or another database.`,
  )
}

async function insertAll(database: TransferDatabase, name: string, file: string): Promise<number> {
  let documents: Doc[] = []
  let bytes = 0
  let total = 0
  const flush = async (): Promise<void> => {
    if (documents.length === 0) return
    // A validator set later does not apply to documents that were stored before.
    const options = { documents, bypassDocumentValidation: true }
    const { writeErrors } = await database.command({ insert: name, ...options })
    const [error] = Array.isArray(writeErrors) ? writeErrors : []
    if (isDocument(error)) {
      const position = total + Number(error['index']) + 1
      throw new Error(`${file}: document ${position}: ${String(error['errmsg'])}`)
    }
    total += documents.length
    documents = []
    bytes = 0
  }
  for await (const raw of readBson(file)) {
    documents.push(decode(raw))
    bytes += raw.length
    if (documents.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES) await flush()
  }
  await flush()
  return total
}
