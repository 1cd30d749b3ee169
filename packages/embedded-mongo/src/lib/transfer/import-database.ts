import { createReadStream, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { EJSON } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { errorText } from '../errors/error-text.ts'
import { type TransferDatabase, type TransferredCollection } from './export-database.ts'
import { type InputDocument, readMetadata, writeCollection } from './write-collection.ts'

const extension = /\.(?:ndjson|jsonl|json)$/

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
  const { from, drop = false } = options
  const done: TransferredCollection[] = []
  for (const file of listFiles(from)) {
    const name = decodeURIComponent(basename(file).replace(extension, ''))
    const metadata = await readMetadata(file.replace(extension, '.metadata.json'))
    const before = drop ? 0 : await count(database, name)
    const create = drop && metadata !== undefined
    const input = { name, documents: readLines(file), metadata, drop, create }
    const written = await writeCollection(database, input)
    const found = (await count(database, name)) - before
    if (found !== written.documents) {
      throw new Error(
        `${name}: ${written.documents} documents were read, but ${found} were stored.`,
      )
    }
    done.push(written)
  }
  return done
}

function listFiles(from: string): string[] {
  if (!statSync(from).isDirectory()) return [from]
  const names = readdirSync(from).filter(
    (name) => extension.test(name) && !name.endsWith('.metadata.json'),
  )
  if (names.length === 0) throw new Error(`${from} contains no .ndjson, .jsonl or .json file.`)
  return names.toSorted().map((name) => join(from, name))
}

async function* readLines(file: string): AsyncGenerator<InputDocument> {
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    number += 1
    if (line.trim() === '') continue
    const place = `${file}:${number}`
    yield { document: parseLine(line, place), bytes: line.length, place }
  }
}

function parseLine(line: string, place: string): Doc {
  let value: unknown
  try {
    value = EJSON.parse(line, { relaxed: false })
  } catch (cause) {
    throw new Error(`${place}: ${errorText(cause)}`, { cause })
  }
  if (isDocument(value)) return value
  throw new Error(`${place}: a line must contain one document.`)
}

async function count(database: TransferDatabase, name: string): Promise<number> {
  const { n } = await database.command({ count: name, query: {} })
  return Number(n)
}
