import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { decode } from '../bson/codec.ts'
import { readBson } from './bson-file.ts'
import {
  listMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'
import { type InputDocument, readMetadata, writeCollection } from './write-collection.ts'

const bsonFile = /\.bson(\.gz)?$/
const internal = new Set(['admin', 'config', 'local'])

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
  const drop = options.drop === true
  if (!drop) await requireMissing(database, files)
  const done: TransferredCollection[] = []
  for (const file of files) {
    const metadata = await readMetadata(file.replace(bsonFile, '.metadata.json$1'))
    const input = {
      name: nameOf(file),
      documents: readDocuments(file),
      metadata,
      drop,
      create: true,
    }
    done.push(await writeCollection(database, input))
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
  const own = listFiles(from).filter((file) => nameOf(file) !== 'oplog')
  if (own.length > 0) return new Map([[basename(from), from]])
  const names = readdirSync(from).filter((name) => !internal.has(name))
  const folders = names.map((name): [string, string] => [name, join(from, name)])
  const found = folders.filter(([, path]) => statSync(path).isDirectory() && listFiles(path).length)
  if (found.length > 0) return new Map(found)
  throw new Error(`${from} contains no dump: it has no folder with .bson files.`)
}

function listFiles(folder: string): string[] {
  const names = readdirSync(folder).filter(
    (name) => bsonFile.test(name) && !name.startsWith('system.'),
  )
  return names.toSorted().map((name) => join(folder, name))
}

function nameOf(file: string): string {
  return decodeURIComponent(basename(file).replace(bsonFile, ''))
}

async function requireMissing(database: TransferDatabase, files: string[]): Promise<void> {
  const existing = new Set((await listMetadata(database)).map((one) => one.collectionName))
  const taken = files.map((file) => nameOf(file)).filter((name) => existing.has(name))
  if (taken.length === 0) return
  throw new Error(
    `${taken.join(', ')} already exists. Use --drop to replace it, or another database.`,
  )
}

async function* readDocuments(file: string): AsyncGenerator<InputDocument> {
  let number = 0
  for await (const raw of readBson(file)) {
    number += 1
    yield { document: decode(raw), bytes: raw.length, place: `${file}: document ${number}` }
  }
}
