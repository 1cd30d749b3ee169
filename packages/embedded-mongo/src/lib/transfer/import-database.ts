import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { EJSON } from 'bson'
import { assume } from '../bson/assume.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import {
  type CollectionMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './transfer-database.ts'

const BATCH_DOCUMENTS = 1000
const BATCH_CHARACTERS = 8 * 1024 * 1024
const EXTENSION = /\.(?:ndjson|jsonl|json)$/

/** Options of {@link importDatabase}. */
export interface ImportOptions {
  /** A folder that `exportDatabase` or `mongoexport` filled, or one file of it. */
  from: string
  /**
   * Drop a collection before it is filled.
   * @default false
   */
  drop?: boolean | undefined
}

/**
 * Reads Extended JSON lines, relaxed or canonical, into a database, with options and indexes when the
 * files tell them.
 *
 * @param database The database to fill, of any MongoDB.
 * @param options What to read.
 * @returns What was read.
 * @throws {Error} There is no file to read, a line cannot be read (file and line are named), a document is
 * refused, or counts differ.
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
      throw new Error(`${name}: ${documents} documents were read, but ${found} are there.`)
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
  if (names.length === 0) throw new Error(`${from} holds no .ndjson, .jsonl or .json file.`)
  return names.toSorted().map((name) => join(from, name))
}

function readMetadata(file: string): CollectionMetadata | undefined {
  if (!existsSync(file)) return undefined
  return assume<CollectionMetadata>(EJSON.parse(readFileSync(file, 'utf8'), { relaxed: false }))
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
    const { writeErrors } = await database.command({ insert: name, documents })
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
  throw new Error(`${place}: a line must hold one document.`)
}

async function count(database: TransferDatabase, name: string): Promise<number> {
  const { n } = await database.command({ count: name, query: {} })
  return Number(n)
}

function ignoreMissing(error: unknown): void {
  // Servers before 7 answer 26 when there is nothing to drop.
  if (!(error instanceof Error && 'code' in error && error.code === 26)) throw error
}
