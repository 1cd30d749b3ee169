import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EJSON } from 'bson'
import { type Doc } from '../bson/document.ts'
import { writeBson, writeText } from './bson-file.ts'
import {
  listMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'

/** Options of {@link dumpDatabase}. */
export interface DumpOptions {
  /**
   * Output folder, which must be missing or empty. It appears when the dump is complete; until then
   * its name ends with `.incomplete`.
   */
  directory: string
  /**
   * Compress each file.
   * @default false
   */
  gzip?: boolean | undefined
}

/** A database with its name, such as the driver's `Db`. */
export interface NamedDatabase extends TransferDatabase {
  /** Its name. */
  readonly databaseName: string
}

/**
 * Writes a database as `mongodump` does, for `mongorestore`: each collection as `DATABASE/NAME.bson`
 * and its options and indexes as `DATABASE/NAME.metadata.json`.
 * @param database - the database to read; any MongoDB server
 * @param options - output folder and compression
 * @returns the dumped collections
 * @throws {Error} if the output folder contains anything
 */
export function dumpDatabase(
  database: NamedDatabase,
  options: DumpOptions,
): Promise<TransferredCollection[]> {
  return writeDump(options.directory, (directory) =>
    dumpInto(database, { directory, gzip: options.gzip }),
  )
}

// Several databases in one dump.
export async function writeDump<T>(
  directory: string,
  write: (directory: string) => Promise<T>,
): Promise<T> {
  const target = resolve(directory)
  const partial = `${target}.incomplete`
  requireEmpty(target)
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true, mode: 0o700 })
  try {
    const result = await write(partial)
    if (existsSync(target)) rmdirSync(target)
    renameSync(partial, target)
    return result
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw error
  }
}

export async function dumpInto(
  database: NamedDatabase,
  options: DumpOptions & { readonly find?: Doc },
): Promise<TransferredCollection[]> {
  const folder = join(options.directory, database.databaseName)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const end = options.gzip === true ? '.gz' : ''
  const done: TransferredCollection[] = []
  for (const metadata of await listMetadata(database)) {
    const name = metadata.collectionName
    const file = join(folder, encodeURIComponent(name))
    const text = EJSON.stringify(metadata, { relaxed: false })
    await writeText(`${file}.metadata.json${end}`, text)
    const all = database.collection(name).find({}, { ...options.find, raw: true, batchSize: 1000 })
    done.push({ name, documents: await writeBson(`${file}.bson${end}`, all) })
  }
  return done
}

function requireEmpty(directory: string): void {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return
  throw new Error(`${directory} is not empty. Remove it, or choose another folder for the dump.`)
}
