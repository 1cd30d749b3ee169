import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { EJSON } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import {
  type CollectionMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'

const BATCH_DOCUMENTS = 1000
const BATCH_CHARACTERS = 8 * 1024 * 1024
const EXTENSION = /\.(?:ndjson|jsonl|json)$/

/** Options of {@link importDatabase}. */
export interface ImportOptions {
  /** A folder written by `exportDatabase` or `mongoexport`, or one of its files. */
  from: string
  /**
   * Drop each collection before importing it.
   * @default false
   */
  drop?: boolean | undefined
}

/**
 * Imports files of Extended JSON, relaxed or canonical, with one document per line. Indexes come
 * from `NAME.metadata.json` if there is one; with `drop` the collection's options too.
 * @param database - the database to write; any MongoDB server
 * @param options - the files to read
 * @returns the imported collections
 * @throws {Error} if there is no file, a line is invalid (the message has file and line), a document
 * is rejected, or the number of documents differs afterwards
 */
export async function importDatabase(
  database: TransferDatabase,
  options: ImportOptions,
): Promise<TransferredCollection[]> {
  const done: TransferredCollection[] = []
  for (const file of listFiles(options.from)) {
    const name = decodeURIComponent(basename(file).replace(EXTENSION, ''))
    if (options.drop === true) await database.command({ drop: name }).catch(ignoreMissing)
    const metadata = readMetadata(file.replace(EXTENSION, '.metadata.json'))
    if (options.drop === true && metadata) {
      await database.command({ create: name, ...metadata.options })
    }
    const before = await count(database, name)
    const documents = await insertLines(database, name, file)
    const indexes = metadata?.indexes.filter((index) => index['name'] !== '_id_') ?? []
    if (indexes.length > 0) await database.command({ createIndexes: name, indexes })
    const found = (await count(database, name)) - before
    if (found !== documents) {
      throw new Error(`${name}: ${documents} documents were read, but ${found} were stored.`)
    }
    done.push({ name, documents })
  }
  return done
}

function listFiles(from: string): string[] {
  if (!statSync(from).isDirectory()) return [from]
  const names = readdirSync(from).filter(
    (name) => EXTENSION.test(name) && !name.endsWith('.metadata.json'),
  )
  if (names.length === 0) throw new Error(`${from} contains no .ndjson, .jsonl or .json file.`)
  return names.toSorted().map((name) => join(from, name))
}

function readMetadata(file: string): CollectionMetadata | undefined {
  if (!existsSync(file)) return undefined
  const metadata: CollectionMetadata = EJSON.parse(readFileSync(file, 'utf8'), { relaxed: false })
  return metadata
}

async function insertLines(
  database: TransferDatabase,
  name: string,
  file: string,
): Promise<number> {
  let documents: Doc[] = []
  let characters = 0
  let total = 0
  let number = 0
  const flush = async (): Promise<void> => {
    if (documents.length === 0) return
    // A validator set later does not apply to documents that were stored before.
    const options = { documents, bypassDocumentValidation: true }
    const { writeErrors } = await database.command({ insert: name, ...options })
    const [error] = Array.isArray(writeErrors) ? writeErrors : []
    if (isDocument(error)) {
      const line = number - documents.length + Number(error['index']) + 1
      throw new Error(`${file}: about line ${line}: ${String(error['errmsg'])}`)
    }
    total += documents.length
    documents = []
    characters = 0
  }
  for await (const line of createInterface({ input: createReadStream(file) })) {
    number += 1
    if (line.trim() === '') continue
    documents.push(parseLine(line, `${file}:${number}`))
    characters += line.length
    if (documents.length >= BATCH_DOCUMENTS || characters >= BATCH_CHARACTERS) await flush()
  }
  await flush()
  return total
}

function parseLine(line: string, place: string): Doc {
  let value: unknown
  try {
    value = EJSON.parse(line, { relaxed: false })
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
  if (isDocument(value)) return value
  throw new Error(`${place}: a line must contain one document.`)
}

async function count(database: TransferDatabase, name: string): Promise<number> {
  const { n } = await database.command({ count: name, query: {} })
  return Number(n)
}

export function ignoreMissing(error: unknown): void {
  // Servers before 7 return error 26 when there is nothing to drop.
  if (!(error instanceof Error && 'code' in error && error.code === 26)) throw error
}
